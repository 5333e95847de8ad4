import type { Card } from './turn/engine.ts'

interface Answer {
  field_key: string
  value?: unknown
}
type AnsweredCard = Pick<Card, 'questions'>

const questionOf = ({ questions }: AnsweredCard, { field_key }: Answer) =>
  questions.find((each) => each.field_key === field_key)

/** Formats answers as text: one line per answer with its question and the labels of its options. */
export const formatAnswers = (card: AnsweredCard, answers: Answer[]): string =>
  answers
    .filter(({ value }) => value !== null && value !== undefined)
    .map((answer) => {
      const question = questionOf(card, answer)
      const { options = [] } = (question ?? {}) as { options?: { value: string; label: string }[] }
      const label = (value: unknown) =>
        options.find((option) => option.value === value)?.label ??
        (typeof value === 'string' ? value : JSON.stringify(value))
      const values = Array.isArray(answer.value) ? answer.value : [answer.value]
      return `${question?.question ?? answer.field_key} ${values.map(label).join(', ')}`
    })
    .join('\n')

/** File ids in answers to questions of type `file`. */
export const fileIdsIn = (card: AnsweredCard, answers: Answer[]): string[] => [
  ...new Set(
    answers
      .filter((answer) => questionOf(card, answer)?.input_type === 'file')
      .flatMap(({ value }) => (Array.isArray(value) ? value : []))
      .filter((value): value is string => typeof value === 'string'),
  ),
]
