import * as z from 'zod'

export const Key = z.string().min(1).max(200)
export const Name = z.string().min(1).max(500)
export const Text = z.string().max(20_000).default('')
export const Texts = z.array(z.string().max(2_000)).max(1_000).default([])

export const LegalBasis = z
  .array(
    z.object({
      law: z.string().min(1).max(300),
      article: z.string().min(1).max(100),
      quote: z.string().max(20_000).optional(),
    }),
  )
  .max(200)

/** What is beside a record's own words in English. */
export const english = {
  name_en: Name.optional(),
  description_en: z.string().max(20_000).optional(),
}

export const BurdenOfProof = z.enum(['plaintiff', 'defendant'])

/** What defeats an element although its facts are proved. */
export const Defence = z
  .object({
    name: Name,
    name_en: Name.optional(),
    description: Text,
    burden_of_proof: BurdenOfProof.default('defendant'),
    legal_basis: LegalBasis.default([]),
  })
  .meta({ id: 'Defence' })

/** How a sum or a period that belongs to an element is found. */
export const Calculation = z
  .object({
    name: Name,
    name_en: Name.optional(),
    formula: z.string().min(1).max(4_000),
    inputs: Texts,
    legal_basis: LegalBasis.default([]),
  })
  .meta({ id: 'Calculation' })

/** A small story that meets an element or does not. */
export const ElementCase = z
  .object({
    facts: z.string().min(1).max(4_000),
    met: z.boolean(),
    why: z.string().max(4_000).optional(),
  })
  .meta({ id: 'ElementCase' })
