import * as z from 'zod'
import type { Bilingual } from './language.ts'

const ElementQuestion = z.looseObject({
  question: z.string(),
  question_en: z.string().nullish(),
  field_key: z.string().startsWith('intake_collection.'),
  input_type: z.string(),
  options: z
    .array(z.object({ value: z.string(), label: z.string(), label_en: z.string().nullish() }))
    .nullish()
    .catch(null),
})

/** A question of an element. */
export interface AskedFact {
  /** Path of the answer below the state of the intake. */
  key: string
  input_type: string
  wording: Bilingual
  options: { value: string; label: Bilingual }[]
}

export const elementQuestions = (questions: unknown[]): AskedFact[] =>
  questions.flatMap((each) => {
    const { data } = ElementQuestion.safeParse(each)
    if (!data) return []
    return [
      {
        key: data.field_key.slice('intake_collection.'.length),
        input_type: data.input_type,
        wording: { zh: data.question, en: data.question_en ?? data.question },
        options: (data.options ?? []).map(({ value, label, label_en }) => ({
          value,
          label: { zh: label, en: label_en ?? label },
        })),
      },
    ]
  })
