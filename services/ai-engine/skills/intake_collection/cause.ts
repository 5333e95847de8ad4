import * as z from 'zod'
import { Question } from '../../card.ts'
import { Checklist } from '../../checklist-tools.ts'
import type { SkillContext } from '../../skill.ts'
import type { Bilingual, Language } from '../_shared/language.ts'

type Tools = SkillContext<unknown>['tools']

const Recognition = z.object({
  causes: z.array(
    z.object({
      code: z.string(),
      name: z.string(),
      name_en: z.string().nullish(),
      matter_category: z.string().nullish(),
    }),
  ),
  candidates: z.array(
    z.object({ code: z.string(), score: z.number().default(0), quotes: z.array(z.string()) }),
  ),
  clear: z.string().nullable(),
  /** False if another cause is close to the clear one. */
  confident: z.boolean().default(true),
})
export type Recognition = z.infer<typeof Recognition>

const noRecognition: Recognition = {
  causes: [],
  candidates: [],
  clear: null,
  confident: true,
}

/** Loads all causes of action and ranks those that match a text. Empty if knowledge-service is unavailable. */
export async function recognizeCause(tools: Tools, text: string): Promise<Recognition> {
  const answer = await tools.recognize_cause?.({ text: text.slice(0, 20_000) })
  return Recognition.safeParse(answer).data ?? noRecognition
}

/** The best cause that a text shows, for a person who does not know the kind of matter. */
export const bestCandidate = ({ candidates }: Recognition): string | undefined =>
  candidates.find(({ quotes }) => quotes.length > 0)?.code

export function causeName({ causes }: Recognition, code: unknown): Bilingual | undefined {
  const cause = causes.find((each) => each.code === code)
  return cause && { zh: cause.name, en: cause.name_en ?? cause.name }
}

/** A question about an element of the cause, in both languages. */
const ElementQuestion = z.looseObject({
  question: z.string(),
  question_en: z.string().nullish(),
  field_key: z.string().regex(/^intake_collection(\.[A-Za-z0-9_]+){1,2}$/),
  input_type: Question.shape.input_type,
  required: z.boolean().default(false),
  options: z
    .array(z.object({ value: z.string(), label: z.string(), label_en: z.string().nullish() }))
    .nullish(),
  help: z.string().nullish(),
  help_en: z.string().nullish(),
})

const Cause = z.object({
  elements: z.array(
    z.object({
      required: z.boolean().default(true),
      side: z.string().nullish(),
      applies_when: z.string().nullish(),
      questions: z.array(z.unknown()).default([]),
    }),
  ),
})

export interface CauseQuestion {
  /** Path below the skill's state. */
  key: string
  required: boolean
  /** Whether an element that only some claims need asks for it. */
  wanted: boolean
  wording: Record<Language, Omit<Question, 'field_key' | 'required'>>
}

/**
 * Fetches the questions of a cause, each once. A question is required if its element is, for every claim
 * and for whichever side; empty for an unknown cause or if knowledge-service is unavailable.
 */
export async function fetchCauseQuestions(tools: Tools, code: string | null | undefined) {
  if (!code || code === 'other' || !tools.legal_elements) return []
  const answer = Cause.safeParse(await tools.legal_elements({ cause_of_action_code: code }))
  return collectQuestions(
    (answer.data?.elements ?? []).map(({ required, side, applies_when, questions }) => ({
      isAlways: required && !side && !applies_when,
      isSided: Boolean(side),
      questions,
    })),
  )
}

/** Fetches the questions of the checklist of a service. Those of its intake are required. */
export async function fetchChecklistQuestions(tools: Tools, serviceType: string | undefined) {
  if (!serviceType || !tools.load_checklist) return []
  const answer = Checklist.safeParse(await tools.load_checklist({ service_type_id: serviceType }))
  return collectQuestions(
    (answer.data?.items ?? []).map(({ phase_id, required, questions }) => ({
      isAlways: required && phase_id === 'intake',
      isSided: false,
      questions,
    })),
  )
}

interface QuestionGroup {
  isAlways: boolean
  isSided: boolean
  questions: unknown[]
}

function collectQuestions(groups: QuestionGroup[]): CauseQuestion[] {
  const found = new Map<string, CauseQuestion>()
  for (const { isAlways, isSided, questions } of groups)
    for (const each of questions) {
      const parsed = ElementQuestion.safeParse(each)
      if (!parsed.success) continue
      const key = parsed.data.field_key.replace('intake_collection.', '')
      const required = isAlways && parsed.data.required
      const wanted = !required && !isSided && parsed.data.required
      const earlier = found.get(key)
      if (!earlier || (required && !earlier.required))
        found.set(key, { key, required, wanted, wording: wordQuestion(parsed.data) })
    }
  return [...found.values()]
}

function wordQuestion(question: z.infer<typeof ElementQuestion>): CauseQuestion['wording'] {
  const word = (language: Language) => {
    const english = language === 'en'
    const help = english ? (question.help_en ?? question.help) : question.help
    return {
      question: english ? (question.question_en ?? question.question) : question.question,
      input_type: question.input_type,
      ...(question.options?.length && {
        options: question.options.map(({ value, label, label_en }) => ({
          value,
          label: english ? (label_en ?? label) : label,
        })),
      }),
      ...(help && { help }),
    }
  }
  return { zh: word('zh'), en: word('en') }
}
