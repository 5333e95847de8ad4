import * as z from 'zod'
import { amountsIn, formatMoney } from '../_shared/amounts.ts'
import { splitClauses, splitSentences } from '../_shared/clauses.ts'
import { datesIn } from '../_shared/dates.ts'
import type { Bilingual, Language } from '../_shared/language.ts'
import { elementLine, LegalElement } from '../_shared/law.ts'
import type { Fields } from '../intake_collection/fields.ts'
import { fieldLabel, formatValue } from '../intake_collection/format.ts'

export const Summary = z.object({
  overview: z.string(),
  parties: z.array(z.object({ role: z.string(), name: z.string() })),
  timeline: z.array(z.object({ date: z.string(), event: z.string(), confirmed: z.boolean() })),
  amounts: z.array(z.object({ amount: z.number(), what: z.string(), confirmed: z.boolean() })),
  claims: z.array(z.string()),
  evidence: z.array(z.string()),
  /** Elements to be proved, with their legal basis. */
  elements: z.array(LegalElement),
  open_questions: z.array(z.string()),
})
export type Summary = z.infer<typeof Summary>

/** Limits of the summary. */
const limits = { entries: 50, characters: 300 }

export interface Material {
  fields: Fields
  causeName: Bilingual | null
  openQuestions: string[]
  texts: string[]
  fileCount: number
  elements: LegalElement[]
}

/**
 * Summarizes the collected fields and texts without additions. A date or an amount that only prose
 * mentions is marked as not confirmed.
 */
export function summarize(material: Material, language: Language, today: string): Summary {
  const { fields, causeName, openQuestions, texts, fileCount, elements } = material
  return {
    overview: formatValue('cause_of_action_code', fields, language, causeName),
    parties: buildParties(fields, language),
    timeline: buildTimeline(fields, texts, language, today),
    amounts: buildAmounts(fields, texts, language),
    claims: fields.aim ? [fields.aim] : [],
    evidence: [
      ...(fields.evidence?.length ? [formatValue('evidence', fields, language)] : []),
      ...(fileCount > 0 ? [filesWords(fileCount)[language]] : []),
    ],
    elements,
    open_questions: openQuestions,
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
  const collected = (['event_date', 'employment_start'] as const).flatMap((key) =>
    fields[key] ? [{ date: fields[key], event: fieldLabel(key, language), confirmed: true }] : [],
  )
  const mentioned = texts.flatMap((text) =>
    splitSentences(text).flatMap((sentence) =>
      datesIn(sentence, today).map(({ date }) => ({
        date,
        event: truncate(sentence),
        confirmed: false,
      })),
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
      : [{ amount: fields[key], what: fieldLabel(key, language), confirmed: true }],
  )
  const mentioned = texts.flatMap((text) =>
    splitClauses(text).flatMap((clause) =>
      amountsIn(clause).map(({ amount }) => ({ amount, what: truncate(clause), confirmed: false })),
    ),
  )
  const collectedAmounts = new Set(collected.map(({ amount }) => amount))
  return [...collected, ...mentioned.filter(({ amount }) => !collectedAmounts.has(amount))].slice(
    0,
    limits.entries,
  )
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
  const mark = { zh: '（未确认）', en: ' (not confirmed)' }[language]
  const lists: Record<keyof typeof heads, string[]> = {
    parties: summary.parties.map(({ role, name }) => `${role}: ${name}`),
    timeline: summary.timeline.map(
      ({ date, event, confirmed }) => `${date}${confirmed ? '' : mark}: ${event}`,
    ),
    amounts: summary.amounts.map(
      ({ amount, what, confirmed }) => `${formatMoney(amount)}${confirmed ? '' : mark}: ${what}`,
    ),
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
