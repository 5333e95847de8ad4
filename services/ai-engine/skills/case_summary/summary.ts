import * as z from 'zod'
import { amountsIn, money } from '../_shared/amounts.ts'
import { clausesOf, sentencesOf } from '../_shared/clauses.ts'
import { datesIn } from '../_shared/dates.ts'
import type { Both, Language } from '../_shared/language.ts'
import { elementLine, LegalElement } from '../_shared/law.ts'
import { fieldOf } from '../intake_collection/ask.ts'
import { causeOf } from '../intake_collection/causes.ts'
import type { FieldKey, Fields } from '../intake_collection/fields.ts'
import { shown } from '../intake_collection/products.ts'

export const Summary = z.object({
  overview: z.string(),
  parties: z.array(z.object({ role: z.string(), name: z.string() })),
  timeline: z.array(z.object({ date: z.string(), event: z.string() })),
  amounts: z.array(z.object({ amount: z.number(), what: z.string() })),
  claims: z.array(z.string()),
  evidence: z.array(z.string()),
  /** What has to be proved, and on what law it rests. */
  elements: z.array(LegalElement),
  open_questions: z.array(z.string()),
})
export type Summary = z.infer<typeof Summary>

/** More than anyone reads; what is longer is in the conversation. */
const most = { entries: 50, characters: 300 }

/** A summary of what was collected and said, with nothing added to it. */
export function summarize(
  known: Fields,
  texts: string[],
  files: number,
  elements: LegalElement[],
  language: Language,
  today: string,
): Summary {
  return {
    overview: shown('cause_of_action_code', known, language),
    parties: partiesOf(known, language),
    timeline: timelineOf(known, texts, language, today),
    amounts: amountsOf(known, texts, language),
    claims: known.aim ? [known.aim] : [],
    evidence: [
      ...(known.evidence?.length ? [shown('evidence', known, language)] : []),
      ...(files > 0 ? [filesWords(files)[language]] : []),
    ],
    elements,
    open_questions: openOf(known, language),
  }
}

const filesWords = (count: number): Both => ({
  zh: `已上传文件 ${count} 份`,
  en: `Files: ${count}`,
})

const sides: Record<string, Both> = {
  claimant: { zh: '提出请求的一方', en: 'claims' },
  respondent: { zh: '被要求的一方', en: 'is claimed against' },
}
const words: Record<'client' | 'other' | 'unknown', Both> = {
  client: { zh: '当事人', en: 'Client' },
  other: { zh: '对方', en: 'Other side' },
  unknown: { zh: '未知', en: 'not known' },
}

const partiesOf = (known: Fields, language: Language) => [
  {
    role: words.client[language],
    name: sides[known.client_role ?? '']?.[language] ?? words.unknown[language],
  },
  { role: words.other[language], name: known.opposing_party ?? words.unknown[language] },
]

function timelineOf(known: Fields, texts: string[], language: Language, today: string) {
  const label = (key: FieldKey) => fieldOf(key, known).label[language]
  const collected = (['event_date', 'employment_start'] as const).flatMap((key) =>
    known[key] ? [{ date: known[key], event: label(key) }] : [],
  )
  const told = texts.flatMap((text) =>
    sentencesOf(text).flatMap((sentence) =>
      datesIn(sentence, today).map(({ date }) => ({ date, event: cut(sentence) })),
    ),
  )
  return sorted([...collected, ...told])
}

/** By date, each entry once. */
export function sorted(entries: Summary['timeline']): Summary['timeline'] {
  const once = new Map(entries.map((entry) => [`${entry.date} ${entry.event}`, entry]))
  return [...once.values()]
    .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
    .slice(0, most.entries)
}

function amountsOf(known: Fields, texts: string[], language: Language) {
  const collected = (['amount', 'monthly_wage'] as const).flatMap((key) =>
    known[key] == null ? [] : [{ amount: known[key], what: fieldOf(key, known).label[language] }],
  )
  const told = texts.flatMap((text) =>
    clausesOf(text).flatMap((clause) =>
      amountsIn(clause).map(({ amount }) => ({ amount, what: cut(clause) })),
    ),
  )
  const has = new Set(collected.map(({ amount }) => amount))
  return [...collected, ...told.filter(({ amount }) => !has.has(amount))].slice(0, most.entries)
}

/** What would help and is not known. */
function openOf(known: Fields, language: Language): string[] {
  const { useful, required } = causeOf(known.cause_of_action_code)
  const wanted: FieldKey[] = ['opposing_party', 'evidence', 'aim', ...required, ...useful]
  return wanted
    .filter((key) => known[key] == null)
    .map((key) => fieldOf(key, known).question[language])
}

const cut = (text: string) =>
  text.length <= most.characters ? text : `${text.slice(0, most.characters)}…`

const heads: Record<keyof Omit<Summary, 'overview'>, Both> = {
  parties: { zh: '当事人', en: 'Parties' },
  timeline: { zh: '时间线', en: 'Timeline' },
  amounts: { zh: '金额（元）', en: 'Amounts (CNY)' },
  claims: { zh: '诉求', en: 'Claims' },
  evidence: { zh: '证据', en: 'Evidence' },
  elements: { zh: '需要证明的要件', en: 'What has to be proved' },
  open_questions: { zh: '待明确', en: 'Open questions' },
}

/** A summary as a person reads it. */
export function written(summary: Summary, language: Language): string {
  const lists: Record<keyof typeof heads, string[]> = {
    parties: summary.parties.map(({ role, name }) => `${role}: ${name}`),
    timeline: summary.timeline.map(({ date, event }) => `${date}: ${event}`),
    amounts: summary.amounts.map(({ amount, what }) => `${money(amount)}: ${what}`),
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
