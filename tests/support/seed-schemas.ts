import * as z from 'zod'
import { Question } from '../../services/ai-engine/card.ts'
import { fieldKeys } from '../../services/ai-engine/skills/intake_collection/fields.ts'
import { OnlyIf } from '../../services/knowledge/seed/record-fields.ts'
import {
  CauseOfActionProfile,
  LitigationElement,
  NonLitigationChecklistItem,
} from '../../services/knowledge/seed/records.ts'

/** Schemas of the bundled packages, stricter than the schemas of the service. */

const NonEmpty = z.string().trim().min(1)
const English = NonEmpty.regex(/^[^\p{Script=Han}]*$/u, 'English holds no Chinese characters.')
const Chinese = NonEmpty.regex(/\p{Script=Han}/u, 'Chinese words are expected.')

const Basis = z.strictObject({
  law: NonEmpty,
  article: z.string().regex(/^第[零一二三四五六七八九十百千]+条$/),
  quote: NonEmpty.max(200),
  only_if: OnlyIf,
  grounds_claim: z.literal(false).optional(),
})
const bilingual = { name: Chinese, name_en: English, description: Chinese, description_en: English }
const choices = ['select', 'multi_select']

export const SeedQuestion = z
  .strictObject({
    ...Question.shape,
    question: Chinese,
    question_en: English,
    field_key: Question.shape.field_key.refine((key) => {
      const [skill, field, ...rest] = key.split('.')
      const isField = rest.length === 0 && fieldKeys.some((name) => name === field)
      return skill === 'intake_collection' && (isField || rest.length === 1)
    }, 'intake_collection.<code>.<fact>, or a field that the intake knows'),
    options: z
      .array(z.strictObject({ value: NonEmpty, label: NonEmpty, label_en: English }))
      .min(2)
      .optional(),
    help_en: English.optional(),
  })
  .refine(({ input_type, options }) => choices.includes(input_type) === (options !== undefined), {
    message: 'Options belong to select and multi_select.',
  })
  .refine(({ help, help_en }) => (help === undefined) === (help_en === undefined), {
    message: 'help and help_en go together.',
  })

const questions = z.array(SeedQuestion).min(1).max(5)

const defence = {
  name: Chinese,
  name_en: English,
  description: Chinese,
  only_if: OnlyIf,
  legal_basis: z.array(Basis).min(1),
}
/** Only objections have a burden of proof, and every objection names its party. */
const Defence = z.discriminatedUnion('kind', [
  z.strictObject({
    ...defence,
    kind: z.literal('objection'),
    burden_of_proof: z.enum(['plaintiff', 'defendant']),
  }),
  z.strictObject({ ...defence, kind: z.enum(['denial', 'rule_of_law']) }),
])
const Calculation = z.strictObject({
  name: Chinese,
  name_en: English,
  formula: NonEmpty,
  inputs: z.array(NonEmpty).min(1),
  legal_basis: z.array(Basis).min(1),
})
const StoryCase = z
  .strictObject({ facts: Chinese, met: z.boolean(), why: Chinese.optional() })
  .refine(({ met, why }) => met || why !== undefined, { message: 'Say why it is not met.' })

export const SeedElement = z.strictObject({
  ...LitigationElement.shape,
  applies_when: Chinese.optional(),
  applies_when_en: English.optional(),
  ...bilingual,
  element_id: z.string().regex(/^[a-z0-9_]+\.[a-z0-9_]+$/),
  order_num: z.int().min(1),
  burden_of_proof: z.enum(['plaintiff', 'defendant']),
  standard: Chinese,
  required: z.boolean(),
  evidence_types: z.array(Chinese).min(1),
  questions: questions.max(3),
  legal_basis: z.array(Basis).min(1),
  defences: z.array(Defence).min(1),
  calculation: Calculation.nullable(),
  cases: z.array(StoryCase).min(2),
})

const Edition = z.strictObject({ law: NonEmpty, effective_from: z.iso.date() })

export const SeedProfile = z.strictObject({
  ...CauseOfActionProfile.shape,
  as_of: z.iso.date(),
  parties: z
    .array(
      z.strictObject({
        role: z.string().regex(/^[a-z_]+$/),
        name: Chinese,
        name_en: English,
        position: z.enum(['plaintiff', 'defendant', 'either']),
      }),
    )
    .min(2),
  laws: z.array(Edition).min(1),
  interpretations: z.array(Edition),
  ...bilingual,
  code: z.string().regex(/^[a-z0-9_]+$/),
  parent_code: z.string().regex(/^[a-z0-9_]+$/),
  dictionary_version: Chinese,
  aliases: z.array(NonEmpty).min(3).max(19),
  keywords: z.array(NonEmpty).min(3),
  cues: z.array(NonEmpty).min(10),
  matter_category: z.string(),
  typical_claims: z.array(Chinese).min(1),
  limitation: z.strictObject({ years: z.number().positive().nullable(), basis: Chinese }),
  jurisdiction_hint: Chinese,
  risk_factors: z
    .array(
      z.strictObject({
        name: Chinese,
        name_en: English,
        description: Chinese,
        legal_basis: z.array(Basis).min(1).optional(),
      }),
    )
    .min(2),
  strategy_templates: z
    .array(
      z.strictObject({
        name: Chinese,
        name_en: English,
        when: Chinese,
        steps: z.array(Chinese).min(2),
        /** The same steps in English. */
        steps_en: z.array(English).min(2),
      }),
    )
    .min(1),
})

export const SeedChecklistItem = z.strictObject({
  ...NonLitigationChecklistItem.shape,
  ...bilingual,
  item_id: z.string().regex(/^[a-z0-9_]+\.[a-z0-9_]+$/),
  service_type_id: z.string().regex(/^[a-z0-9_]+$/),
  phase_id: z.enum(['intake', 'review', 'drafting', 'delivery']),
  required: z.boolean(),
  order_num: z.int().min(1),
  materials: z.array(Chinese),
  questions,
  legal_basis: z.array(Basis),
})
