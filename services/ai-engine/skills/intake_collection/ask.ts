import type { Question } from '../../card.ts'
import { datesIn } from '../_shared/dates.ts'
import type { Language } from '../_shared/language.ts'
import { causeOf, causes } from './causes.ts'
import { type Field, type FieldKey, type Fields, fields } from './fields.ts'

/** A card that asks for more is closed unread. */
const mostQuestions = 6

const always: FieldKey[] = ['cause_of_action_code', 'what_happened', 'aim']
const helpful: FieldKey[] = ['evidence', 'opposing_party', 'evidence_files']

/** What can't be done without. What the person could not give is not waited for. */
export function missing(known: Fields): FieldKey[] {
  const cause = causeOf(known.cause_of_action_code)
  // As long as the cause is open there may be two sides.
  const sides = cause.dispute || known.cause_of_action_code === undefined
  const wanted = [...always, ...(sides ? (['client_role'] as const) : []), ...cause.required]
  return wanted.filter((key) => known[key] === undefined)
}

/** All that is missing on one card, with what else helps as far as there is room. */
export function questionsFor(
  known: Fields,
  language: Language,
  texts: string[],
  today: string,
): Question[] {
  const required = missing(known)
  const cause = causeOf(known.cause_of_action_code)
  const optional = [...helpful, ...cause.useful].filter(
    (key) => known[key] === undefined && !required.includes(key),
  )
  return [...required, ...optional].slice(0, mostQuestions).map((key) => ({
    ...worded(key, known, language),
    field_key: `intake_collection.${key}`,
    required: required.includes(key),
    ...(key === 'event_date' && about(texts, today)),
  }))
}

function worded(key: FieldKey, known: Fields, language: Language) {
  const { question, input, options } = fieldOf(key, known)
  return {
    question: question[language],
    input_type: input,
    ...(options && {
      options: options.map(({ value, label }) => ({ value, label: label[language] })),
    }),
  }
}

/** The words of a field, which for two of them depend on the causes. */
export function fieldOf(key: FieldKey, known: Fields): Field {
  if (key === 'cause_of_action_code') {
    return {
      label: { zh: '案由', en: 'Kind of matter' },
      question: { zh: '这是哪一类事项？', en: 'What kind of matter is it?' },
      input: 'select',
      options: causes.map(({ code, name }) => ({ value: code, label: name })),
    }
  }
  if (key !== 'event_date') return fields[key]
  const { event } = causeOf(known.cause_of_action_code)
  return {
    label: { zh: event.zh, en: event.en.charAt(0).toUpperCase() + event.en.slice(1) },
    question: { zh: `${event.zh}是哪一天？`, en: `What is the date: ${event.en}?` },
    input: 'date',
  }
}

/** Where only the month was told, its first day is proposed. */
function about(texts: string[], today: string) {
  const month = datesIn(texts.join('\n'), today).find(({ date }) => date.length === 7)
  return month ? { default: `${month.date}-01` } : {}
}
