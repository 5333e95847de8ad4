import * as z from 'zod'
import type { CauseRecord } from '../../cause-tools.ts'
import { formatMoney } from '../_shared/amounts.ts'
import type { CaseFact, CaseFile } from '../_shared/case-file.ts'
import { isCalendarDate } from '../_shared/dates.ts'
import { type AskedFact, elementQuestions } from '../_shared/element-questions.ts'
import type { Language } from '../_shared/language.ts'
import type { CalculationResult } from '../calculation/calculate.ts'
import type { EvidenceItem } from '../evidence_analysis/analyze.ts'
import { getField, isFieldKey } from '../intake_collection/fields.ts'
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
  client_contact: z.string().nullish().catch(null),
  opposing_contact: z.string().nullish().catch(null),
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
  const asked = (cause?.elements ?? [])
    .flatMap(({ questions }) => elementQuestions(questions))
    .find((each) => each.key === name)
  if (asked) return [wordQuestion(asked, language), wordValue(value, asked, language)]
  if (!isFieldKey(name)) return [name, wordValue(value, undefined, language)]
  const causeName = cause && { zh: cause.name, en: cause.name_en ?? cause.name }
  const shown =
    wordTyped(value, getField(name).input, language) ??
    formatValue(name, fields, language, causeName)
  return [fieldLabel(name, language), shown]
}

/** A question as a label: in Chinese without its mark and hints. */
function wordQuestion({ wording }: AskedFact, language: Language): string {
  const [first = ''] = wording[language].split(/(?<=[？?])/)
  return language === 'zh' ? first.replace(/[？?]$/, '') : first
}

/** Label and value in one line. An English question keeps its mark. */
export const joinFact = ([label, value]: [label: string, value: string], language: Language) =>
  language === 'zh'
    ? `${label}：${value}`
    : /\?$/.test(label)
      ? `${label} ${value}`
      : `${label}: ${value}`

function wordValue(value: unknown, asked: AskedFact | undefined, language: Language): string {
  const word = (each: unknown): string => {
    const option = asked?.options.find((known) => known.value === each)
    if (option) return option.label[language]
    const typed = wordTyped(each, asked?.input_type, language)
    if (typed !== undefined) return typed
    // A number that is no sum of money is shown as it is.
    if (typeof each === 'number') return `${each}${asksPercent(asked) ? '%' : ''}`
    return formatPlain(each, language) ?? String(each)
  }
  return (Array.isArray(value) ? value : [value]).map(word).join(language === 'zh' ? '、' : ', ')
}

const asksPercent = (asked: AskedFact | undefined) => asked?.wording.zh.includes('百分之') === true

/** A sum of money or a day; undefined for any other input. */
function wordTyped(value: unknown, input: string | undefined, language: Language) {
  if (input === 'money' && typeof value === 'number') return wordMoney(value, language)
  if (input === 'date' && typeof value === 'string') return wordDay(value, language)
  return undefined
}

/** A sum of money in the form of the documents. */
export const wordMoney = (amount: number, language: Language) =>
  language === 'zh' ? `${formatMoney(amount)}元` : `CNY ${formatMoney(amount)}`

const months =
  'January February March April May June July August September October November December'.split(' ')

/** A day as documents write it. A text that is no day stays as it is. */
export function wordDay(day: string, language: Language): string {
  if (!isCalendarDate(day)) return day
  const [year, month, date] = day.split('-').map(Number)
  return language === 'zh'
    ? `${year}年${month}月${date}日`
    : `${date} ${months[month! - 1]} ${year}`
}

/** The other side as the documents name it; undefined if unknown. */
export const findOpponent = ({ details, caseFile }: DraftBasis) =>
  details.opposing_name ?? caseFile.fields.opposing_party ?? undefined
