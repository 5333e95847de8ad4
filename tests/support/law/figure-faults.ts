import type { Cited } from './cited.ts'
import type { Edition } from './editions.ts'
import { figuresIn } from './figures.ts'

/** Words that state a rule, with the citations that they rest on. */
export interface Statement {
  where: string
  words: string[]
  cited: Cited[]
}

/** Figures that no article states, by the end of their place, and where they come from. */
const otherSources: Record<string, { figures: string[]; source: string }> = {
  'divorce.property': { figures: ['50 %'], source: 'practice of the courts' },
  'labor_dispute.unpaid_wages': { figures: ['365 日'], source: 'notice of a ministry' },
  'labor_dispute.double_wage': { figures: ['1 倍', '11 个月'], source: 'a year less a month' },
  'labor_dispute.annual_leave': {
    figures: ['100 %', '200 %', '12 个月'],
    source: 'rule of a ministry',
  },
  'medical_damage.damage': {
    figures: ['10 %', '20 %', '40 %', '50 %', '60 %', '90 %', '100 %'],
    source: 'practice of experts',
  },
  'private_lending.interest': { figures: ['24 %', '36 %'], source: 'edition of 2015' },
  'traffic_accident.fault': { figures: ['3 日'], source: 'rule of a ministry' },
  'profiles/traffic_accident.json traffic_accident': {
    figures: ['3 日'],
    source: 'rule of a ministry',
  },
  'traffic_accident.no_fault_liability': { figures: ['100 %'], source: 'the whole' },
  'traffic_accident.damage': { figures: ['10 %', '100 %'], source: 'practice of the courts' },
  'labor_dispute_rules_2.md 第九条': { figures: ['1 年'], source: 'the article that it names' },
  'civil_code_limitation.md 第一百九十五条': { figures: ['3 年'], source: 'article 188' },
  'civil_code_limitation.md 第二百零二条': { figures: ['3 年'], source: 'article 188' },
  'labor_contract_regulation.md 第二十条': {
    figures: ['30 日'],
    source: 'the article that it names',
  },
  'product_quality_law.md 第四十五条': { figures: ['3 年'], source: 'Civil Code, article 188' },
}

/** Figures that none of the cited articles states. */
export const figureFaults = (
  statements: Statement[],
  findEdition: (law: string) => Edition | undefined,
): { where: string; figure: string }[] =>
  statements.flatMap(({ where, words, cited }) => {
    const texts = cited.flatMap(({ laws, article }) =>
      laws.flatMap((law) => (article && findEdition(law)?.articles.get(article)) || []),
    )
    const stated = figuresIn(texts.join('\n'))
    const known = Object.keys(otherSources).find((place) => where.endsWith(place))
    const others = known ? otherSources[known]!.figures : []
    return [...figuresIn(words.join('\n'))]
      .filter((figure) => !stated.has(figure) && !others.includes(figure))
      .map((figure) => ({ where, figure }))
  })
