import * as z from 'zod'
import { defineTool } from './tool.ts'

const Condition = z.object({
  field_key: z.string(),
  values: z.array(z.unknown()).optional(),
  from: z.string().optional(),
})
export type Condition = z.output<typeof Condition>
/** Conditions that all have to be met. */
const OnlyIf = z.array(Condition).default([])

const LegalBasis = z.object({
  law: z.string(),
  article: z.string(),
  quote: z.string().nullish(),
  only_if: OnlyIf,
  /** False for a rule on procedure, proof or defences, which a claim does not cite. */
  grounds_claim: z.boolean().default(true),
})
const Bases = z.array(LegalBasis).default([])

const Defence = z.object({
  name: z.string(),
  name_en: z.string().nullish(),
  description: z.string().default(''),
  kind: z.enum(['denial', 'objection', 'rule_of_law']).default('denial'),
  burden_of_proof: z.enum(['plaintiff', 'defendant']).nullish(),
  only_if: OnlyIf,
  legal_basis: Bases,
})

/** A list of which entries of another shape are left out. */
const listOf = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .array(z.unknown())
    .nullish()
    .transform((entries) => (entries ?? []).flatMap((each) => schema.safeParse(each).data ?? []))

const Element = z.object({
  element_id: z.string(),
  name: z.string(),
  name_en: z.string().nullish(),
  description: z.string().default(''),
  description_en: z.string().nullish(),
  burden_of_proof: z.enum(['plaintiff', 'defendant']),
  standard: z.string().nullish(),
  required: z.boolean().default(true),
  side: z.string().nullish(),
  applies_when: z.string().nullish(),
  applies_when_en: z.string().nullish(),
  only_if: OnlyIf,
  evidence_types: z.array(z.string()).default([]),
  questions: z.array(z.unknown()).default([]),
  legal_basis: Bases,
  defences: listOf(Defence),
})

const Party = z.object({
  role: z.string(),
  name: z.string(),
  name_en: z.string().nullish(),
  position: z.string(),
})

const RiskFactor = z.object({
  name: z.string(),
  name_en: z.string().nullish(),
  description: z.string().default(''),
  legal_basis: Bases,
})

const StrategyTemplate = z.object({
  name: z.string(),
  name_en: z.string().nullish(),
  when: z.string().default(''),
  steps: z.array(z.string()).default([]),
  steps_en: z.array(z.string()).nullish(),
})

/** Record of a cause of action in knowledge-service, with its elements and defences. */
export const CauseRecord = z.object({
  code: z.string(),
  name: z.string(),
  name_en: z.string().nullish(),
  matter_category: z.string().nullish(),
  parties: listOf(Party),
  typical_claims: listOf(z.string()),
  limitation: z.object({ years: z.number().nullish(), basis: z.string().nullish() }).nullish(),
  jurisdiction_hint: z.string().nullish(),
  risk_factors: listOf(RiskFactor),
  strategy_templates: listOf(StrategyTemplate),
  elements: z.array(Element),
})
export type CauseRecord = z.output<typeof CauseRecord>
export type CauseElement = z.output<typeof Element>

export const loadCause = defineTool({
  name: 'load_cause',
  description:
    'The whole record of a cause of action: its parties, elements, defences, risk factors, strategies, limitation period and jurisdiction.',
  parameters: z.object({ cause_of_action_code: z.string().regex(/^[\w.:-]{1,200}$/) }),
  run: ({ knowledge, readerHeaders }, { cause_of_action_code }) =>
    knowledge.request(CauseRecord, `/api/v1/knowledge/causes-of-action/${cause_of_action_code}`, {
      headers: readerHeaders,
    }),
})
