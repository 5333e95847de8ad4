import * as z from 'zod'
import { amountsIn, formatMoney } from '../_shared/amounts.ts'
import { splitClauses, splitSentences } from '../_shared/clauses.ts'
import { datesIn } from '../_shared/dates.ts'
import type { Bilingual, Language } from '../_shared/language.ts'
import { elementLine, LegalElement } from '../_shared/law.ts'
import { buildField } from '../intake_collection/ask.ts'
import { findCause } from '../intake_collection/causes.ts'
import type { FieldKey, Fields } from '../intake_collection/fields.ts'
import { formatValue } from '../intake_collection/products.ts'

export const Summary = z.object({
  overview: z.string(),
  parties: z.array(z.object({ role: z.string(), name: z.string() })),
  timeline: z.array(z.object({ date: z.string(), event: z.string() })),
  amounts: z.array(z.object({ amount: z.number(), what: z.string() })),
  claims: z.array(z.string()),
  evidence: z.array(z.string()),
  /** Elements to be proved, with their legal basis. */
  elements: z.array(LegalElement),
  open_questions: z.array(z.string()),
})
export type Summary = z.infer<typeof Summary>

/** Limits of the summary. */
const limits = { entries: 50, characters: 300 }

/** Summarizes the collected fields and texts without additions. */
export function summarize(
  fields: Fields,
  texts: string[],
  files: number,
  elements: LegalElement[],
  language: Language,
  today: string,
): Summary {
  return {
    overview: formatValue('cause_of_action_code', fields, language),
    parties: buildParties(fields, language),
    timeline: buildTimeline(fields, texts, language, today),
    amounts: buildAmounts(fields, texts, language),
    claims: fields.aim ? [fields.aim] : [],
    evidence: [
      ...(fields.evidence?.length ? [formatValue('evidence', fields, language)] : []),
      ...(files > 0 ? [filesWords(files)[language]] : []),
    ],
    elements,
    open_questions: openQuestions(fields, language),
  }
}

const filesWords = (count: number): Bilingual => ({
  zh: `已上传文件 ${count} 份`,
  en: `Files: ${count}`,
})

const sides: Record<string, Bilingual> = {
  claimant: { zh: '提出请求的一方', en: 'claims' },
  respondent: { zh: '被要求的一方', en: 'is claimed against' },
}
const words: Record<'client' | 'other' | 'unknown', Bilingual> = {
  client: { zh: '当事人', en: 'Client' },
  other: { zh: '对方', en: 'Other side' },
  unknown: { zh: '未知', en: 'not known' },
}

const buildParties = (fields: Fields, language: Language) => [
  {
    role: words.client[language],
    name: sides[fields.client_role ?? '']?.[language] ?? words.unknown[language],
  },
  { role: words.other[language], name: fields.opposing_party ?? words.unknown[language] },
]

function buildTimeline(fields: Fields, texts: string[], language: Language, today: string) {
  const label = (key: FieldKey) => buildField(key, fields).label[language]
  const collected = (['event_date', 'employment_start'] as const).flatMap((key) =>
    fields[key] ? [{ date: fields[key], event: label(key) }] : [],
  )
  const mentioned = texts.flatMap((text) =>
    splitSentences(text).flatMap((sentence) =>
      datesIn(sentence, today).map(({ date }) => ({ date, event: truncate(sentence) })),
    ),
  )
  return sortTimeline([...collected, ...mentioned])
}

/** Sorts entries by date and removes duplicates. */
export function sortTimeline(entries: Summary['timeline']): Summary['timeline'] {
  const distinct = new Map(entries.map((entry) => [`${entry.date} ${entry.event}`, entry]))
  return [...distinct.values()]
    .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
    .slice(0, limits.entries)
}

function buildAmounts(fields: Fields, texts: string[], language: Language) {
  const collected = (['amount', 'monthly_wage'] as const).flatMap((key) =>
    fields[key] == null
      ? []
      : [{ amount: fields[key], what: buildField(key, fields).label[language] }],
  )
  const mentioned = texts.flatMap((text) =>
    splitClauses(text).flatMap((clause) =>
      amountsIn(clause).map(({ amount }) => ({ amount, what: truncate(clause) })),
    ),
  )
  const collectedAmounts = new Set(collected.map(({ amount }) => amount))
  return [...collected, ...mentioned.filter(({ amount }) => !collectedAmounts.has(amount))].slice(
    0,
    limits.entries,
  )
}

/** Questions for useful fields without a value. */
function openQuestions(fields: Fields, language: Language): string[] {
  const { useful, required } = findCause(fields.cause_of_action_code)
  const candidates: FieldKey[] = ['opposing_party', 'evidence', 'aim', ...required, ...useful]
  return candidates
    .filter((key) => fields[key] == null)
    .map((key) => buildField(key, fields).question[language])
}

const truncate = (text: string) =>
  text.length <= limits.characters ? text : `${text.slice(0, limits.characters)}…`

const heads: Record<keyof Omit<Summary, 'overview'>, Bilingual> = {
  parties: { zh: '当事人', en: 'Parties' },
  timeline: { zh: '时间线', en: 'Timeline' },
  amounts: { zh: '金额（元）', en: 'Amounts (CNY)' },
  claims: { zh: '诉求', en: 'Claims' },
  evidence: { zh: '证据', en: 'Evidence' },
  elements: { zh: '需要证明的要件', en: 'What has to be proved' },
  open_questions: { zh: '待明确', en: 'Open questions' },
}

/** Renders a summary as text. */
export function renderSummary(summary: Summary, language: Language): string {
  const lists: Record<keyof typeof heads, string[]> = {
    parties: summary.parties.map(({ role, name }) => `${role}: ${name}`),
    timeline: summary.timeline.map(({ date, event }) => `${date}: ${event}`),
    amounts: summary.amounts.map(({ amount, what }) => `${formatMoney(amount)}: ${what}`),
    claims: summary.claims,
    evidence: summary.evidence,
    elements: summary.elements.map((element) => elementLine(element, language)),
    open_questions: summary.open_questions,
  }
  const title = { zh: '案情摘要', en: 'Case summary' }[language]
  const sections = (Object.keys(heads) as (keyof typeof heads)[])
    .filter((key) => lists[key].length > 0)
    .map((key) => `${heads[key][language]}\n${lists[key].map((line) => `- ${line}`).join('\n')}`)
  return [`${title}: ${summary.overview}`, ...sections].join('\n\n')
}
