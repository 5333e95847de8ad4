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

type FormProperty =
  | { type: 'string'; title: string; description?: string; format?: 'date' }
  | { type: 'string'; title: string; enum: string[] }
  | { type: 'number' | 'boolean'; title: string; description?: string }

/**
 * The form of a card as an elicitation schema, which is flat and has no lists. Questions of another kind
 * are answered as text: values separated by commas.
 */
export function buildForm({ questions }: PendingCard) {
  const properties: Record<string, FormProperty> = {}
  for (const question of questions) properties[question.field_key] = buildProperty(question)
  const required = questions.filter((each) => each.required).map((each) => each.field_key)
  return { type: 'object' as const, properties, required }
}

function buildProperty({ question, input_type, options, help }: Question): FormProperty {
  const title = question
  const description = help ? { description: help } : {}
  if (input_type === 'boolean') return { type: 'boolean', title, ...description }
  if (input_type === 'number' || input_type === 'money')
    return { type: 'number', title, ...description }
  if (input_type === 'date') return { type: 'string', format: 'date', title, ...description }
  if (input_type === 'select' && options && options.length > 0) {
    return { type: 'string', title, enum: options.map(({ value }) => String(value)) }
  }
  return { type: 'string', title, ...description }
}

/** Answers of the card from the content of the form. A question without an answer is left out. */
export function toAnswers({ questions }: PendingCard, content: Record<string, unknown>) {
  return questions
    .filter(({ field_key }) => content[field_key] !== undefined && content[field_key] !== '')
    .map((question) => ({
      field_key: question.field_key,
      value: answerValue(question, content[question.field_key]),
    }))
}

/** A form returns the text of an option; the card expects its value. */
function answerValue({ input_type, options }: Question, answer: unknown): unknown {
  const optionOf = (text: string) =>
    options?.find(({ value }) => String(value) === text)?.value ?? text
  if (input_type === 'select') return optionOf(String(answer))
  if (input_type === 'multi_select' || input_type === 'file') {
    const list = String(answer).split(/[,，]/)
    return list.map((each) => optionOf(each.trim())).filter((each) => each !== '')
  }
  return answer
}
