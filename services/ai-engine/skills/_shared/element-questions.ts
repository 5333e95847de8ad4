import * as z from 'zod'
import type { Language } from './language.ts'

const ElementQuestion = z.looseObject({
  question: z.string(),
  question_en: z.string().nullish(),
  field_key: z.string().startsWith('intake_collection.'),
  input_type: z.string(),
})

/** Questions of an element: the path of each answer below the state of the intake, and its wording. */
export const elementQuestions = (questions: unknown[]) =>
  questions.flatMap((each) => {
    const { data } = ElementQuestion.safeParse(each)
    if (!data) return []
    const wording: Record<Language, string> = {
      zh: data.question,
      en: data.question_en ?? data.question,
    }
    return [
      {
        key: data.field_key.slice('intake_collection.'.length),
        input_type: data.input_type,
        wording,
      },
    ]
  })
