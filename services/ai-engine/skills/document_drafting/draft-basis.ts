import * as z from 'zod'
import type { CauseRecord } from '../../cause-tools.ts'
import { formatMoney } from '../_shared/amounts.ts'
import type { CaseFact, CaseFile } from '../_shared/case-file.ts'
import { type AskedFact, elementQuestions } from '../_shared/element-questions.ts'
import type { Language } from '../_shared/language.ts'
import type { CalculationResult } from '../calculation/calculate.ts'
import type { EvidenceItem } from '../evidence_analysis/analyze.ts'
import { type FieldKey, fieldKeys } from '../intake_collection/fields.ts'
import { fieldLabel, formatPlain, formatValue } from '../intake_collection/format.ts'
import type { Issue } from '../issue_spotting/issues.ts'
import type { FoundCitation } from '../legal_research/research.ts'
import type { Risk } from '../risk_assessment/assess-risk.ts'
import type { Strategy } from '../strategy/strategies.ts'
import type { ElementStatus } from '../sufficiency/assess.ts'

/** Names that the forms need and that the person gave on a card. */
export const Details = z.object({
  client_name: z.string().nullish().catch(null),
  opposing_name: z.string().nullish().catch(null),
  court: z.string().nullish().catch(null),
})
export type Details = z.output<typeof Details>

/** Everything that the documents are composed of. */
export interface DraftBasis {
  caseFile: CaseFile
  cause: CauseRecord
  details: Details
  /** Category of the matter. */
  category: string | undefined
  items: EvidenceItem[]
  elements: ElementStatus[]
  issues: Issue[]
  citations: FoundCitation[]
  calculation: CalculationResult
  strategies: Strategy[]
  risk: Risk | null
  today: string
}

export const blank = { zh: '（待补充）', en: '(to be added)' }

/** Label and value of a fact, for a row of a form. */
export function wordFact(
  { key, value }: CaseFact,
  { fields, cause }: CaseFile,
  language: Language,
): [label: string, value: string] {
  const name = key.replace(/^intake\./, '')
  if (fieldKeys.includes(name as FieldKey)) {
    const causeName = cause && { zh: cause.name, en: cause.name_en ?? cause.name }
    const shown = formatValue(name as FieldKey, fields, language, causeName)
    return [fieldLabel(name as FieldKey, language), shown]
  }
  const asked = (cause?.elements ?? [])
    .flatMap(({ questions }) => elementQuestions(questions))
    .find((each) => each.key === name)
  return [asked?.wording[language] ?? name, wordValue(value, asked, language)]
}

function wordValue(value: unknown, asked: AskedFact | undefined, language: Language): string {
  const word = (each: unknown): string => {
    const option = asked?.options.find((known) => known.value === each)
    if (option) return option.label[language]
    // A number that is no sum of money is shown as it is.
    if (typeof each === 'number' && asked?.input_type !== 'money') return String(each)
    return formatPlain(each, language) ?? String(each)
  }
  return (Array.isArray(value) ? value : [value]).map(word).join(language === 'zh' ? '、' : ', ')
}

/** A sum of money in the form of the documents. */
export const wordMoney = (amount: number, language: Language) =>
  language === 'zh' ? `${formatMoney(amount)}元` : `CNY ${formatMoney(amount)}`

/** A day as documents write it. */
export function wordDay(day: string, language: Language): string {
  const [year, month, date] = day.split('-').map(Number)
  return language === 'zh' ? `${year}年${month}月${date}日` : day
}
