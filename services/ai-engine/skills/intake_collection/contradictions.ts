import * as z from 'zod'
import { factSources } from '../../facts.ts'
import type { AnsweredCard, Control } from '../../skill.ts'
import { isCalendarDate } from '../_shared/dates.ts'
import type { Language } from '../_shared/language.ts'
import { wordDay, wordMoney } from '../_shared/word-fact.ts'
import type { CauseQuestion } from './cause.ts'
import { confirmedKey, type PendingFigure } from './confirm.ts'
import { type Fields, getField, isFieldKey } from './fields.ts'
import type { FileAnswer } from './file-answers.ts'
import { fieldLabel } from './format.ts'
import type { FoundBy } from './products.ts'

const FigureValue = z.union([z.number(), z.string()])

/** A sum, a rate or a day of which one source says this and a file, or a later message, says that. */
export const Contradiction = z.object({
  key: z.string(),
  stated: z.object({
    value: FigureValue,
    quote: z.string().nullable(),
    found_by: z.enum(factSources),
  }),
  file: z.object({
    value: FigureValue,
    quote: z.string(),
    /** Null: a message, or a file without a name. */
    filename: z.string().nullable(),
  }),
  /** Other questions whose answer is one of the two values. */
  also: z.array(z.string()),
  /** What the person chose; null while the card is open. */
  choice: z.enum(['stated', 'file', 'neither']).nullable(),
})
export type Contradiction = z.output<typeof Contradiction>

/** Questions on a card at most. */
const maxQuestions = 5

/** Key of the question that asks which value is right. It states no fact by itself. */
const choiceKey = (key: string) => `intake_collection.${key.replaceAll('.', '__')}_confirmed`

interface KnownFacts {
  /** Values of fields and details without those of the new files, by key. */
  values: Record<string, unknown>
  foundBy: Record<string, FoundBy>
  quotes: Record<string, string>
  /** Answers to questions of the cause with those of the new files, by key. */
  details: Record<string, unknown>
}

/** Finds the values of new files that differ from what is known. A pair of values that was shown is left out. */
export function findContradictions(
  answers: FileAnswer[],
  { values, foundBy, quotes, details }: KnownFacts,
  shown: Contradiction[],
): Contradiction[] {
  const found = answers.flatMap((answer): Contradiction[] => {
    const key = comparedKey(answer, answers, values)
    const value = values[key]
    if (!isFigure(value) || !isFigure(answer.value) || value === answer.value) return []
    const also = Object.keys(details).filter(
      (other) => other !== key && [value, answer.value].includes(details[other] as string),
    )
    return [
      {
        key,
        stated: { value, quote: quotes[key] ?? null, found_by: foundBy[key] ?? 'answer' },
        file: { value: answer.value, quote: answer.quote, filename: answer.filename },
        also,
        choice: null,
      },
    ]
  })
  const isShown = (each: Contradiction) =>
    shown.some(
      ({ key, stated, file }) =>
        key === each.key && stated.value === each.stated.value && file.value === each.file.value,
    )
  return found.filter((each) => !isShown(each))
}

const isFigure = (value: unknown): value is number | string =>
  typeof value === 'number' || (typeof value === 'string' && isCalendarDate(value))

/** The question itself, else the one that asks for the same sum, unless a file answers that one too. */
function comparedKey(
  { key, sameAs }: FileAnswer,
  answers: FileAnswer[],
  values: Record<string, unknown>,
): string {
  const isAnswered = values[key] != null || answers.some((each) => each.key === sameAs)
  return sameAs === undefined || isAnswered ? key : sameAs
}

/**
 * Enters the answers of the card. Whoever skips it or does not know leaves both values unused. A message that
 * states the value anew, after the card was withdrawn, settles it too.
 */
export function settleContradictions(
  contradictions: Contradiction[],
  answered: AnsweredCard | null,
  stated: Fields,
): Contradiction[] {
  const onCard = new Set(answered ? contradictions.filter(isOpen).slice(0, maxQuestions) : [])
  return contradictions.map((each) => {
    const { key } = each
    if (isOpen(each) && isFieldKey(key) && stated[key] != null)
      return { ...each, choice: 'neither' }
    if (!onCard.has(each)) return each
    const answer = Contradiction.shape.choice.safeParse(answered!.answers[choiceKey(key)]).data
    return { ...each, choice: answer ?? 'neither' }
  })
}

export const isOpen = ({ choice }: Contradiction) => choice === null

/** True if the person dismissed the card that reads figures back, or does not know. */
export const isUnanswered = (contradictions: Contradiction[], answered: AnsweredCard | null) =>
  answered !== null &&
  !contradictions.some(isOpen) &&
  typeof answered.answers[`intake_collection.${confirmedKey}`] !== 'boolean'

/** Figures of a later message that differ from what is known and that the person neither confirmed nor rejected. */
export const leftOpen = (pending: PendingFigure[], known: Fields): Contradiction[] =>
  pending.flatMap(({ key, value, quote, certain }): Contradiction[] => {
    const earlier = known[key]
    if (!certain || !isFigure(earlier) || earlier === value) return []
    const stated = { value: earlier, quote: null, found_by: 'answer' as const }
    return [{ key, stated, file: { value, quote, filename: null }, also: [], choice: 'neither' }]
  })

/** The value that the person chose; null if neither. */
export const chosenValue = ({ choice, stated, file }: Contradiction) =>
  choice === 'stated' ? stated.value : choice === 'file' ? file.value : null

/** The card that shows both values with their sources and asks which is right. */
export function contradictionCard(
  contradictions: Contradiction[],
  causeQuestions: CauseQuestion[],
  language: Language,
): Control {
  const say = (zh: string, en: string) => ({ zh, en })[language]
  const questions = contradictions
    .filter(isOpen)
    .slice(0, maxQuestions)
    .map(({ key, stated, file }) => {
      const ofCause = causeQuestions.find((each) => each.key === key)?.wording[language]
      const label = isFieldKey(key) ? fieldLabel(key, language) : (ofCause?.question ?? key)
      const input = isFieldKey(key) ? getField(key).input : ofCause?.input_type
      const word = (value: number | string) =>
        typeof value === 'string'
          ? wordDay(value, language)
          : input === 'money'
            ? wordMoney(value, language)
            : String(value)
      const statedLabel = `${word(stated.value)}${say('（', ' (')}${wordSource(stated, language)}${say('）', ')')}`
      const name = file.filename ?? say('材料', 'a file')
      const fileLabel = say(
        `${word(file.value)}（${name}写明：“${file.quote}”）`,
        `${word(file.value)} (${name} says: “${file.quote}”)`,
      )
      return {
        question: say(
          `${label}：两处说法不一致，以哪个为准？`,
          `${label}: the sources differ. Which one is right?`,
        ),
        field_key: choiceKey(key),
        input_type: 'select' as const,
        required: true,
        options: [
          { value: 'stated', label: statedLabel.slice(0, 500) },
          { value: 'file', label: fileLabel.slice(0, 500) },
          { value: 'neither', label: say('都不对', 'Neither') },
        ],
      }
    })
  return {
    action: 'ask_user',
    review_type: 'select',
    title: say(
      '您的说法与材料不一致，请选择正确的一项。',
      'What you said differs from a file. Please choose what is right.',
    ),
    questions,
    skippable: true,
  }
}

function wordSource({ quote, found_by }: Contradiction['stated'], language: Language): string {
  const say = (zh: string, en: string) => ({ zh, en })[language]
  if (found_by === 'file')
    return say(`此前的材料写明：“${quote}”`, `an earlier file says: “${quote}”`)
  if (found_by === 'matter') return say('案件记录', 'recorded in the matter')
  if (found_by === 'answer' || !quote) return say('您的回答', 'your answer')
  return say(`您写道：“${quote}”`, `you wrote: “${quote}”`)
}
