import type { Question } from '../../card.ts'
import { datesIn } from '../_shared/dates.ts'
import type { Language } from '../_shared/language.ts'
import { causes, findCause } from './causes.ts'
import { type Field, type FieldKey, type Fields, fields } from './fields.ts'

/** Maximum number of questions on a card. */
const maxQuestions = 6

const alwaysRequired: FieldKey[] = ['cause_of_action_code', 'what_happened', 'aim']
const alwaysUseful: FieldKey[] = ['evidence', 'opposing_party', 'evidence_files']

/** Required fields without a value. A field that the person declined is not missing. */
export function missingFields(collected: Fields): FieldKey[] {
  const cause = findCause(collected.cause_of_action_code)
  // While the cause is unknown, there may be opposing parties.
  const sides = cause.dispute || collected.cause_of_action_code === undefined
  const needed = [
    ...alwaysRequired,
    ...(sides ? (['client_role'] as const) : []),
    ...cause.required,
  ]
  return needed.filter((key) => collected[key] === undefined)
}

/** Builds one card: all missing fields first, then useful fields up to the limit. */
export function buildQuestions(
  collected: Fields,
  language: Language,
  texts: string[],
  today: string,
): Question[] {
  const required = missingFields(collected)
  const cause = findCause(collected.cause_of_action_code)
  const optional = [...alwaysUseful, ...cause.useful].filter(
    (key) => collected[key] === undefined && !required.includes(key),
  )
  return [...required, ...optional].slice(0, maxQuestions).map((key) => ({
    ...wordQuestion(key, collected, language),
    field_key: `intake_collection.${key}`,
    required: required.includes(key),
    ...(key === 'event_date' && proposeDate(texts, today)),
  }))
}

function wordQuestion(key: FieldKey, collected: Fields, language: Language) {
  const { question, input, options } = buildField(key, collected)
  return {
    question: question[language],
    input_type: input,
    ...(options && {
      options: options.map(({ value, label }) => ({ value, label: label[language] })),
    }),
  }
}

/** Label and question of a field. Those of the cause and the event date depend on the causes. */
export function buildField(key: FieldKey, collected: Fields): Field {
  if (key === 'cause_of_action_code') {
    return {
      label: { zh: '案由', en: 'Kind of matter' },
      question: { zh: '这是哪一类事项？', en: 'What kind of matter is it?' },
      input: 'select',
      options: causes.map(({ code, name }) => ({ value: code, label: name })),
    }
  }
  if (key !== 'event_date') return fields[key]
  const { event } = findCause(collected.cause_of_action_code)
  return {
    label: { zh: event.zh, en: event.en.charAt(0).toUpperCase() + event.en.slice(1) },
    question: { zh: `${event.zh}是哪一天？`, en: `What is the date: ${event.en}?` },
    input: 'date',
  }
}

/** Proposes the first day of a month that was mentioned without a day. */
function proposeDate(texts: string[], today: string) {
  const month = datesIn(texts.join('\n'), today).find(({ date }) => date.length === 7)
  return month ? { default: `${month.date}-01` } : {}
}
