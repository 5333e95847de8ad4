import type { PrimitiveSchemaDefinition } from '@modelcontextprotocol/server'
import * as z from 'zod'

/** The members of a card that a form needs. */
export const PendingCard = z.looseObject({
  card_id: z.string(),
  title: z.string().nullish(),
  questions: z.array(
    z.looseObject({
      question: z.string(),
      field_key: z.string(),
      input_type: z.string(),
      required: z.boolean().nullish(),
      options: z.array(z.object({ value: z.unknown(), label: z.string() })).nullish(),
      help: z.string().nullish(),
    }),
  ),
})
export type PendingCard = z.output<typeof PendingCard>
type Question = PendingCard['questions'][number]

/** The form of a card as an elicitation schema. A form cannot upload, so a file is never required. */
export function buildForm({ questions }: PendingCard) {
  const properties: Record<string, PrimitiveSchemaDefinition> = {}
  for (const question of questions) properties[question.field_key] = buildProperty(question)
  const required = questions.filter((each) => each.required && each.input_type !== 'file')
  return { type: 'object' as const, properties, required: required.map((each) => each.field_key) }
}

function buildProperty({
  question,
  input_type,
  options,
  help,
}: Question): PrimitiveSchemaDefinition {
  const common = { title: question, ...(help && { description: help }) }
  const choices = (options ?? []).map(({ value, label }) => ({
    const: String(value),
    title: label,
  }))
  if (input_type === 'boolean') return { type: 'boolean', ...common }
  if (input_type === 'number' || input_type === 'money') return { type: 'number', ...common }
  if (input_type === 'date') return { type: 'string', format: 'date', ...common }
  if (choices.length > 0 && input_type === 'select') {
    return { type: 'string', oneOf: choices, ...common }
  }
  if (choices.length > 0 && input_type === 'multi_select') {
    return { type: 'array', items: { anyOf: choices }, ...common }
  }
  return { type: 'string', ...common }
}

/**
 * Answers of the card from the content of a form or from arguments. null, and a required file that is left
 * out, mean that the person does not know. Unknown keys are kept: consultations-service refuses them.
 */
export function toAnswers({ questions }: PendingCard, content: Record<string, unknown>) {
  const byKey = new Map(questions.map((question) => [question.field_key, question]))
  const missingFiles = questions.filter(
    ({ input_type, required, field_key }) =>
      input_type === 'file' && required && !Object.hasOwn(content, field_key),
  )
  const given = Object.entries(content).filter(([, value]) => value !== undefined && value !== '')
  return [
    ...given.map(([field_key, value]) =>
      value === null
        ? unknownAnswer(field_key)
        : { field_key, value: answerValue(byKey.get(field_key), value) },
    ),
    ...missingFiles.map(({ field_key }) => unknownAnswer(field_key)),
  ]
}

const unknownAnswer = (field_key: string) => ({ field_key, value: null, unknown: true })

/** A form returns the text of an option; the card expects its value. File ids are separated by commas. */
function answerValue(question: Question | undefined, answer: unknown): unknown {
  const { input_type, options } = question ?? {}
  const optionOf = (text: string) =>
    options?.find(({ value }) => String(value) === text)?.value ?? text
  if (input_type === 'select') return optionOf(String(answer))
  if (input_type === 'multi_select' || input_type === 'file') {
    const list = Array.isArray(answer) ? answer.map(String) : String(answer).split(/[,，]/)
    return list.map((each) => optionOf(each.trim())).filter((each) => each !== '')
  }
  return answer
}
