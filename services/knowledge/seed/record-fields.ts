import * as z from 'zod'

export const Key = z.string().min(1).max(200)
export const Name = z.string().min(1).max(500)
export const Text = z.string().max(20_000).default('')
export const Texts = z.array(z.string().max(2_000)).max(1_000).default([])

/** A condition on the answer to a question of the cause. Without `values` and `from`, any answer that affirms. */
const Condition = z.object({
  field_key: Key,
  values: z
    .array(z.union([z.string().max(200), z.boolean()]))
    .min(1)
    .max(100)
    .optional(),
  from: z.iso.date().optional().describe('Earliest day, for the answer to a question about a day.'),
})

/** Conditions that all have to be met. */
export const OnlyIf = z.array(Condition).min(1).max(10).optional()

export const LegalBasis = z
  .array(
    z.object({
      law: z.string().min(1).max(300),
      article: z.string().min(1).max(100),
      quote: z.string().max(20_000).optional(),
      only_if: OnlyIf.describe('Cases in which the article is cited. Default: all.'),
      grounds_claim: z
        .boolean()
        .optional()
        .describe('False for a rule on procedure, proof or defences, which a claim does not cite.'),
    }),
  )
  .max(200)

/** English translations of a record. */
export const english = {
  name_en: Name.optional(),
  description_en: z.string().max(20_000).optional(),
}

export const BurdenOfProof = z.enum(['plaintiff', 'defendant'])

/**
 * Reply of the other side to an element. A denial contests its facts and a rule of law is applied by
 * the court: neither shifts a burden. Only an objection brings new facts that a party must prove.
 */
export const Defence = z
  .object({
    name: Name,
    name_en: Name.optional(),
    description: Text,
    kind: z.enum(['denial', 'objection', 'rule_of_law']).optional(),
    burden_of_proof: BurdenOfProof.optional().describe('Party that proves an objection.'),
    only_if: OnlyIf.describe('Answers of the respondent that raise the defence.'),
    legal_basis: LegalBasis.default([]),
  })
  .refine((defence) => (defence.kind ?? 'objection') === 'objection' || !defence.burden_of_proof, {
    path: ['burden_of_proof'],
    message: 'Only an objection has a burden of proof.',
  })
  .meta({
    id: 'Defence',
    anyOf: [
      { properties: { kind: { const: 'objection' } } },
      { not: { required: ['burden_of_proof'] } },
    ],
  })

/** A party of the legal relation, and the position in which it usually comes to court. */
export const CauseParty = z
  .object({
    role: Key,
    name: Name,
    name_en: Name.optional(),
    position: z.enum(['plaintiff', 'defendant', 'either']),
  })
  .meta({ id: 'CauseParty' })

/** The edition of a law that a profile rests on. */
export const LawEdition = z
  .object({
    law: z.string().min(1).max(300),
    effective_from: z.iso.date().nullable(),
  })
  .meta({ id: 'LawEdition' })

/** A newer text that a profile does not cite yet. */
export const LaterText = z
  .object({
    title: z.string().min(1).max(300),
    number: z.string().max(100).optional(),
    effective_from: z.iso.date().nullable(),
    note: z.string().max(2_000),
  })
  .meta({ id: 'LaterText' })

/** Formula of an amount or a period that belongs to an element. */
export const Calculation = z
  .object({
    name: Name,
    name_en: Name.optional(),
    formula: z.string().min(1).max(4_000),
    inputs: Texts,
    legal_basis: LegalBasis.default([]),
  })
  .meta({ id: 'Calculation' })

/** Example facts that meet an element or do not. */
export const ElementCase = z
  .object({
    facts: z.string().min(1).max(4_000),
    met: z.boolean(),
    why: z.string().max(4_000).optional(),
  })
  .meta({ id: 'ElementCase' })
