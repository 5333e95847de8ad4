import * as z from 'zod'
import { type Issue, invalid } from '../_kit/fault.ts'
import type { Card, Question } from './card.ts'

export const Answer = z.object({
  field_key: z.string().min(1).max(300),
  value: z.unknown(),
  unknown: z
    .boolean()
    .optional()
    .describe('True: the person does not know. Accepted for every question; value is null.'),
})
export type Answer = z.infer<typeof Answer>

/** Checks answers against a card and returns them by field_key. */
export function checkAnswers(card: Card, answers: Answer[]): Record<string, unknown> {
  const issues: Issue[] = []
  const accepted: Record<string, unknown> = {}
  answers.forEach(({ field_key, value = null, unknown = false }, index) => {
    const path = `user_response.answers.${index}`
    const question = card.questions.find((each) => each.field_key === field_key)
    if (!question) issues.push({ path: `${path}.field_key`, message: 'Unknown field_key.' })
    else if (Object.hasOwn(accepted, field_key))
      issues.push({ path: `${path}.field_key`, message: 'Duplicate answer.' })
    else {
      const message = unknown
        ? value === null
          ? undefined
          : 'Must be null when unknown is true.'
        : valueProblem(question, value)
      if (message) issues.push({ path: `${path}.value`, message })
      accepted[field_key] = value
    }
  })
  for (const { field_key, required } of card.questions) {
    if (required && !Object.hasOwn(accepted, field_key))
      issues.push({ path: 'user_response.answers', message: `${field_key} is required.` })
  }
  if (issues.length > 0) throw invalid(issues)
  return accepted
}

const AnswerText = z.string().regex(/\S/).max(20_000)
const valueSchemas: Record<Question['input_type'], [z.ZodType, string]> = {
  text: [AnswerText, 'Must be a text.'],
  textarea: [AnswerText, 'Must be a text.'],
  number: [z.number(), 'Must be a number.'],
  money: [z.number().min(0).max(1e15), 'Must be an amount as a number.'],
  date: [z.iso.date(), 'Must be a date as YYYY-MM-DD.'],
  boolean: [z.boolean(), 'Must be true or false.'],
  select: [AnswerText, 'Must be one of the options.'],
  multi_select: [z.array(AnswerText).max(100), 'Must be a list of options.'],
  file: [z.array(z.string().min(1).max(200)).max(100), 'Must be a list of file ids.'],
}

function valueProblem(
  { input_type, required, options }: Question,
  value: unknown,
): string | undefined {
  if (value === null) return required ? 'Required.' : undefined
  const [schema, message] = valueSchemas[input_type]
  if (!schema.safeParse(value).success) return message
  if (required && Array.isArray(value) && value.length === 0) return 'Required.'
  const selected = input_type === 'select' ? [value] : input_type === 'multi_select' ? value : []
  const allowed = new Set(options?.map((option) => option.value))
  return options && (selected as unknown[]).some((each) => !allowed.has(each as string))
    ? 'Must be one of the options.'
    : undefined
}
