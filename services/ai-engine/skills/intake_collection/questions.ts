import type { Question } from '../../card.ts'
import { datesIn } from '../_shared/dates.ts'
import type { Language } from '../_shared/language.ts'
import type { Reading } from '../_shared/read-message.ts'
import type { CauseQuestion, Recognition } from './cause.ts'
import { causeField, type FieldKey, type Fields, getField } from './fields.ts'

/** Maximum number of questions on a card; the others are on the next card. */
const maxQuestions = 5

/** Fields that fill a card, before and after the questions that only some claims need. */
const usefulFields: FieldKey[] = ['opposing_party']
const laterFields: FieldKey[] = ['event_date', 'amount', 'evidence', 'evidence_files']

export interface Interview {
  /** Fields that are known or were declined. */
  fields: Fields
  /** Answers to questions of the cause, by key. Null: the person had no answer. */
  details: Record<string, unknown>
  /** Keys of the questions that were on a card; no question is repeated. */
  asked: string[]
  causeQuestions: CauseQuestion[]
  recognition: Recognition
  reading: Reading
  /** Service outside of court with a checklist. */
  serviceType: string | undefined
  /** Whether rules chose the cause although another is close to it. */
  closeCause: boolean
}

/** Keys of required questions without an answer. A question that was asked once is not missing. */
export function missingKeys(interview: Interview): string[] {
  const { fields, details, asked, causeQuestions, recognition, reading } = interview
  // Work outside of court has neither a cause of action nor sides; a checklist says what it needs.
  const dispute = reading !== 'service'
  const generic: FieldKey[] = [
    ...(dispute && recognition.causes.length > 0 ? (['cause_of_action_code'] as const) : []),
    ...(interview.serviceType ? [] : (['what_happened', 'aim'] as const)),
    ...(dispute ? (['client_role'] as const) : []),
  ]
  const required = causeQuestions.filter((each) => each.required).map(({ key }) => key)
  const isOpen = (key: string) =>
    fields[key as FieldKey] === undefined && details[key] === undefined && !hasFile(interview, key)
  const isUnsure = (key: string) => key === 'cause_of_action_code' && interview.closeCause
  return [...new Set([...generic, ...required])].filter(
    (key) => (isOpen(key) || isUnsure(key)) && !asked.includes(key),
  )
}

/** Builds one card: missing questions first, then useful ones up to the limit. */
export function buildQuestions(
  interview: Interview,
  language: Language,
  texts: string[],
  today: string,
): Question[] {
  const missing = missingKeys(interview)
  const { causeQuestions } = interview
  const keys = [...missing, ...usefulKeys(interview).filter((key) => !missing.includes(key))]
  return keys.slice(0, maxQuestions).map((key) => {
    const ofCause = causeQuestions.find((each) => each.key === key)
    return {
      ...(ofCause ? ofCause.wording[language] : wordField(key as FieldKey, interview, language)),
      field_key: `intake_collection.${key}`,
      required: missing.includes(key),
      ...(key === 'event_date' && proposeDate(texts, today)),
    }
  })
}

/** True for a question about files, if there are any. */
function hasFile({ fields, causeQuestions }: Interview, key: string): boolean {
  const asksForFile = causeQuestions.some(
    (each) => each.key === key && each.wording.zh.input_type === 'file',
  )
  return (asksForFile || key === 'evidence') && (fields.evidence_files?.length ?? 0) > 0
}

/** Questions that are useful and were neither asked nor answered. */
function usefulKeys(interview: Interview): string[] {
  const { fields, details, asked, causeQuestions, serviceType } = interview
  const wanted = causeQuestions.filter((each) => each.wanted).map(({ key }) => key)
  const useful = serviceType ? wanted : [...usefulFields, ...wanted, ...laterFields]
  return [...new Set(useful)].filter(
    (key) =>
      fields[key as FieldKey] === undefined &&
      details[key] === undefined &&
      !asked.includes(key) &&
      !hasFile(interview, key),
  )
}

/** Open questions of the interview, for the lawyer: useful fields and details without a value. */
export function openQuestions(interview: Interview, language: Language): string[] {
  const { fields, details, causeQuestions } = interview
  const generic = (['opposing_party', 'evidence', 'aim', 'amount', 'event_date'] as const).filter(
    (key) => fields[key] == null && !causeQuestions.some((each) => each.key === key),
  )
  const ofCause = causeQuestions.filter(
    ({ key }) => details[key] == null && fields[key as FieldKey] == null,
  )
  return [
    ...generic.map((key) => getField(key).question[language]),
    ...ofCause.map(({ wording }) => wording[language].question),
  ]
}

function wordField(key: FieldKey, { recognition }: Interview, language: Language) {
  const field = key === 'cause_of_action_code' ? causeField(recognition.causes) : getField(key)
  const best = recognition.candidates[0]?.code
  return {
    question: field.question[language],
    input_type: field.input,
    ...(field.options && {
      options: field.options.map(({ value, label }) => ({ value, label: label[language] })),
    }),
    ...(key === 'cause_of_action_code' && best !== undefined && { default: best }),
  }
}

/** Proposes the first day of a month that was mentioned without a day. */
function proposeDate(texts: string[], today: string) {
  const month = datesIn(texts.join('\n'), today).find(({ date }) => date.length === 7)
  return month ? { default: `${month.date}-01` } : {}
}
