import { citationKey } from '../_shared/citations.ts'
import type { Language } from '../_shared/language.ts'
import { joinFact, wordDay, wordFact, wordMoney } from '../_shared/word-fact.ts'
import type { CalculationResult } from '../calculation/calculate.ts'
import type { FoundCitation } from '../legal_research/research.ts'
import { listCitations, listClaimedElements, listGrounds } from './claimed-elements.ts'
import { type Block, form, type Source, type TableBlock, type TableRow } from './document.ts'
import type { DraftBasis } from './draft-basis.ts'
import { removeRequests } from './story-text.ts'

type Claim = CalculationResult['claims'][number]

/** The source of a claim's amount: its calculation or fact. Keys of facts have a dot. */
export const claimSources = ({ source }: Claim): Source[] =>
  source.includes('.') ? [{ kind: 'fact', key: source }] : [{ kind: 'calculation', id: source }]

/** Name of a claim. Documents for a court are in Chinese whatever the person writes. */
export const claimName = ({ name, name_zh }: Claim, language: Language) =>
  language === 'zh' ? (name_zh ?? name) : name

/** Amount of a claim and the day to which it was calculated; empty for a claim that is not about money. */
export function claimAmount(
  { amount, source }: Claim,
  { calculation }: DraftBasis,
  language: Language,
): string {
  if (amount === null) return ''
  const inputs = calculation.calculations.find(({ calculator }) => calculator === source)?.inputs
  const runs =
    typeof inputs?.to === 'string' && inputs.principal !== amount && inputs.price !== amount
  const to = runs ? wordDay(String(inputs.to), language) : ''
  const until = runs ? { zh: `（暂计至${to}）`, en: ` (up to ${to})` }[language] : ''
  return wordMoney(amount, language) + until
}

/** Claims with their amounts. */
export const claimsTable = (basis: DraftBasis, language: Language): TableBlock => ({
  type: 'table',
  widths: [9, 45, 46],
  head: { zh: ['序号', '请求事项', '金额'], en: ['No.', 'Claim', 'Amount'] }[language],
  rows: basis.calculation.claims.map((claim, index) => ({
    cells: [
      String(index + 1),
      claimName(claim, language),
      claimAmount(claim, basis, language) || { zh: '—', en: '—' }[language],
    ],
    sources: claimSources(claim),
  })),
})

/** Facts and files by element: the core of the official element form. */
export function elementRows(basis: DraftBasis, language: Language): TableRow[] {
  const { caseFile, elements, items } = basis
  const fileNumber = (id: string) => items.findIndex(({ file_id }) => file_id === id) + 1
  const claimed = listClaimedElements(basis)
  return elements.flatMap(({ element_id, evidence }) => {
    const element = claimed.find((each) => each.element_id === element_id)
    const facts = caseFile.facts.filter(
      ({ key }) => evidence.includes(key) && !key.startsWith('intake.evidence'),
    )
    const files = evidence.filter((id) => fileNumber(id) > 0)
    if (!element || facts.length + files.length === 0) return []
    const exhibits = files
      .map((id) => `${fileNumber(id)} ${trimExtension(items[fileNumber(id) - 1]!.name)}`)
      .join({ zh: '、', en: ', ' }[language])
    return [
      {
        cells: [
          language === 'en' ? (element.name_en ?? element.name) : element.name,
          [
            ...facts.map((fact) => joinFact(wordFact(fact, caseFile, language), language)),
            ...(files.length > 0 ? [{ zh: '证据：', en: 'Evidence: ' }[language] + exhibits] : []),
          ].join('\n'),
        ],
        sources: [
          ...facts.map(({ key }): Source => ({ kind: 'fact', key })),
          ...files.map((file_id): Source => ({ kind: 'file', file_id })),
        ],
      },
    ]
  })
}

/** Name of a file as documents list it. */
export const trimExtension = (name: string) => name.replace(/\.[a-z0-9]{1,5}$/iu, '')

/** Verified citations with their quotes. */
export const citationsTable = (basis: DraftBasis, language: Language): TableBlock => ({
  type: 'table',
  widths: [36, 64],
  head: { zh: ['法律依据', '条文'], en: ['Legal basis', 'Text'] }[language],
  rows: listCitations(basis)
    .slice(0, maxCitations)
    .map(({ law, article, quote }) => ({
      cells: [citationKey({ law, article }), quote ?? ''],
      sources: [{ kind: 'citation', citation: { law, article, quote } }],
    })),
})
const maxCitations = 30

/** Articles of the claims themselves, then those that state a duty, go first where only some are cited. */
const duty = /应当.*(?:返还|归还|支付|赔偿|履行|承担)/su

/** The articles that a document rests on, by law: 《民法典》第六百七十五条、第六百七十六条. */
export function listArticles(basis: DraftBasis, max = maxCitations) {
  const citations = listGrounds(basis)
  const claimed = new Set(basis.calculation.claims.flatMap(({ element_ids = [] }) => element_ids))
  const rank = ({ element_ids, quote }: FoundCitation) =>
    (element_ids.some((id) => claimed.has(id)) ? 0 : 2) + (duty.test(quote ?? '') ? 0 : 1)
  const ordered =
    citations.length > max ? citations.toSorted((a, b) => rank(a) - rank(b)) : citations
  const cited = ordered.slice(0, max)
  const byLaw = new Map<string, Set<string>>()
  for (const { law, article } of cited) byLaw.set(law, (byLaw.get(law) ?? new Set()).add(article))
  return {
    lines: [...byLaw].map(([law, articles]) => `《${law}》${[...articles].join('、')}`),
    sources: cited.map(
      ({ law, article, quote }): Source => ({
        kind: 'citation',
        citation: { law, article, quote },
      }),
    ),
  }
}

/** What happened, in the words of the person. */
export const storySource: Source[] = [{ kind: 'fact', key: 'intake.what_happened' }]

export function storyBlock({ caseFile }: DraftBasis): Block[] {
  const story = caseFile.fields.what_happened
  return story ? [{ type: 'paragraph', text: removeRequests(story), sources: storySource }] : []
}

/** Line of a form that is filled in by hand if the answer is unknown. */
export const fillIn = '＿＿＿＿＿＿＿＿＿＿'

/** Closing of a document for a court: 此致, its name, and the signature with the day. */
export const courtClosing = (court: string, signer: string, today: string): Block[] => [
  { type: 'paragraph', text: '此致', sources: form },
  { type: 'paragraph', text: court, sources: form, flush: true },
  { type: 'signature', lines: [signer, wordDay(today, 'zh')], sources: form },
]
