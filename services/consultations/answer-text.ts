import { detectLanguage, type Language, text } from './texts.ts'
import type { Card } from './turn/engine.ts'

interface Answer {
  field_key: string
  value?: unknown
  unknown?: boolean | undefined
}
type AnsweredCard = Pick<Card, 'questions'>

const findQuestion = ({ questions }: AnsweredCard, { field_key }: Answer) =>
  questions.find((each) => each.field_key === field_key)

/**
 * Formats answers as text: one line per answer with its question and the labels of its options. The words of an
 * answer have the language of the questions; a name or an amount says nothing about it.
 */
export const formatAnswers = (
  card: AnsweredCard,
  answers: Answer[],
  fallback: Language | null,
): string => {
  const language =
    detectLanguage(card.questions.map(({ question }) => question).join('')) ?? fallback
  return answers
    .filter(({ value, unknown }) => unknown || (value !== null && value !== undefined))
    .map((answer) => {
      const question = findQuestion(card, answer)
      const label = question?.question ?? answer.field_key
      if (answer.unknown) return `${label} ${text('unknownAnswer', language)}`
      if (typeof answer.value === 'boolean') {
        return `${label} ${text(answer.value ? 'yes' : 'no', language)}`
      }
      // The message lists its files by their names.
      if (question?.input_type === 'file') return `${label} ${text('attached', language)}`
      const { options = [] } = (question ?? {}) as { options?: { value: string; label: string }[] }
      const valueText = (value: unknown) =>
        options.find((option) => option.value === value)?.label ??
        (typeof value === 'string' ? value : JSON.stringify(value))
      const values = Array.isArray(answer.value) ? answer.value : [answer.value]
      return `${label} ${values.map(valueText).join(', ')}`
    })
    .join('\n')
}

/** File ids in answers to questions of type `file`. */
export const fileIdsIn = (card: AnsweredCard, answers: Answer[]): string[] => [
  ...new Set(
    answers
      .filter((answer) => findQuestion(card, answer)?.input_type === 'file')
      .flatMap(({ value }) => (Array.isArray(value) ? value : []))
      .filter((value): value is string => typeof value === 'string'),
  ),
]
