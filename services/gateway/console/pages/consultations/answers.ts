import type { Card, Question, File as StoredFile } from '../../api/types.ts'
import { personalKey, readStored, removeStored, writeStored } from '../../storage.ts'
import { parseNumber, t } from '../../text/text.ts'

export interface Answer {
  field_key: string
  value: unknown
  unknown?: true
}

/** Input of a person for one question. Text of controls; lists for several choices. */
export interface DraftAnswer {
  value: string | string[]
  /** Files of a question for files. */
  files?: StoredFile[]
  isUnknown: boolean
}
export type Draft = Record<string, DraftAnswer>

const isList = ({ input_type }: Question) => input_type === 'multi_select' || input_type === 'file'

const initialAnswer = (question: Question): DraftAnswer => {
  const { default: given } = question
  if (isList(question))
    return { value: Array.isArray(given) ? given.map(String) : [], isUnknown: false }
  return { value: given === undefined || given === null ? '' : String(given), isUnknown: false }
}

const storageKey = (cardId: string) => personalKey(`card.${cardId}`)

/** The stored draft of a card, completed by the defaults of its questions. */
export function readDraft({ card_id, questions }: Card): Draft {
  const stored = readStored<Draft>(storageKey(card_id)) ?? {}
  return Object.fromEntries(
    questions.map((question) => [
      question.field_key,
      stored[question.field_key] ?? initialAnswer(question),
    ]),
  )
}

export const saveDraft = ({ card_id }: Card, draft: Draft) =>
  writeStored(storageKey(card_id), draft)

export const deleteDraft = ({ card_id }: Card) => removeStored(storageKey(card_id))

/** Converts the input to the value that the API expects; undefined if it is not valid. */
function toAnswerValue({ input_type }: Question, value: string | string[]): unknown {
  if (Array.isArray(value)) return value.length > 0 ? value : null
  if (value.trim() === '') return null
  if (input_type === 'number' || input_type === 'money') {
    const number = parseNumber(value)
    return Number.isFinite(number) ? number : undefined
  }
  return input_type === 'boolean' ? value === 'true' : value
}

/** Builds the answers of a card, or the errors by `field_key`. */
export function buildAnswers({ questions }: Card, draft: Draft) {
  const answers: Answer[] = []
  const errors: Record<string, string> = {}
  for (const question of questions) {
    const { field_key, required } = question
    const { value: input, files, isUnknown } = draft[field_key] ?? initialAnswer(question)
    const given = files ? files.map(({ fileId }) => fileId) : input
    const value = isUnknown ? null : toAnswerValue(question, given)
    if (value === undefined) errors[field_key] = t('card.invalid')
    else if (value === null && required && !isUnknown) errors[field_key] = t('card.required')
    else answers.push({ field_key, value, ...(isUnknown && { unknown: true as const }) })
  }
  return { answers, errors }
}

/** Errors of the service by `field_key`: its paths name the position of the answer. */
export function collectErrors(issues: { path: string; message: string }[], answers: Answer[]) {
  const errors: Record<string, string> = {}
  for (const { path, message } of issues) {
    const index = /answers\.(\d+)/.exec(path)?.[1]
    const key = index === undefined ? path : answers[Number(index)]?.field_key
    if (key !== undefined) errors[key] = message
  }
  return errors
}
