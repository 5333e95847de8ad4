import type { Question } from '../../card.ts'
import type { CaseFact, CaseFile } from '../_shared/case-file.ts'
import type { ShownFact } from '../_shared/confirmation.ts'
import { elementQuestions } from '../_shared/element-questions.ts'
import { readBackLines } from '../_shared/read-back.ts'
import { getField, isFieldKey } from '../intake_collection/fields.ts'
import { answerKey, answersPrefix } from './input-source.ts'
import type { InputQuestion } from './plan.ts'

/** Maximum number of questions on a card. */
const maxQuestions = 5

/** Question that confirms the facts which a card reads back. */
export const confirmedKey = 'calculation.figures_confirmed'

interface OpenInputs {
  /** Facts that were read from messages or files. */
  unconfirmed: CaseFact[]
  /** Facts that the person rejected. */
  disputed: ShownFact[]
  missing: InputQuestion[]
  caseFile: CaseFile
}

/** The card that reads facts back, asks for those that were wrong and for those that are missing. */
export function inputCard({ unconfirmed, disputed, missing, caseFile }: OpenInputs) {
  const { language } = caseFile
  const say = (zh: string, en: string) => ({ zh, en })[language]
  const confirm: Question[] =
    unconfirmed.length === 0
      ? []
      : [
          {
            question: [
              say(
                '以下内容将用于计算，是否都正确？',
                'Is all of this right? The calculations use it.',
              ),
              ...readBackLines(unconfirmed, caseFile),
            ].join('\n'),
            field_key: confirmedKey,
            input_type: 'boolean',
            required: true,
          },
        ]
  const known = new Set(disputed.map(({ name }) => name))
  const questions = [
    ...confirm,
    ...disputed.map(({ name, value }) => wordInput(name, value, caseFile)),
    ...missing
      .filter(({ name }) => !known.has(name))
      .map(({ name, question, input_type }) => ({
        question: question[language],
        field_key: `${answersPrefix}${answerKey(name)}`,
        input_type,
        required: false,
      })),
  ].slice(0, maxQuestions)
  const isConfirm = questions.length === 1 && confirm.length === 1
  return {
    action: 'ask_user' as const,
    review_type: isConfirm ? ('confirm' as const) : ('clarify' as const),
    title: isConfirm
      ? say('请确认用于计算的内容。', 'Please confirm what the calculations use.')
      : say(
          '为计算金额和期限，请补充以下信息；不知道的可以不填。',
          'To calculate amounts and periods, please add the following; leave open what you do not know.',
        ),
    questions,
    skippable: true,
  }
}

/** Asks for a fact that the person rejected. The wrong value is proposed, because often only one of several is wrong. */
function wordInput(name: string, value: unknown, { cause, language }: CaseFile): Question {
  const asked = (cause?.elements ?? [])
    .flatMap(({ questions }) => elementQuestions(questions))
    .find(({ key }) => key === name)
  const field = isFieldKey(name) ? getField(name) : undefined
  const options = asked?.options ?? field?.options ?? []
  return {
    question: asked?.wording[language] ?? field?.question[language] ?? name,
    field_key: `${answersPrefix}${answerKey(name)}`,
    input_type: (asked?.input_type ?? field?.input ?? 'text') as Question['input_type'],
    required: false,
    default: value,
    ...(options.length > 0 && {
      options: options.map((option) => ({ value: option.value, label: option.label[language] })),
    }),
  }
}
