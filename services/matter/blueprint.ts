import * as z from 'zod'
import contractReview from './blueprints/contract-review.json' with { type: 'json' }
import laborArbitration from './blueprints/labor-arbitration.json' with { type: 'json' }
import privateLending from './blueprints/private-lending.json' with { type: 'json' }
import { Name, Title } from './fields.ts'
import { MatterCategory } from './matter.ts'

/** Typical course of a kind of matter, for display only. Strict: unknown members are rejected. */
export const Blueprint = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9_]{1,100}$/),
    name: Title,
    matter_category: MatterCategory,
    description: z.string(),
    phases: z.array(
      z.strictObject({
        phase_id: Name,
        phase_name: Title,
        order_num: z.int().min(0),
        description: z.string(),
      }),
    ),
  })
  .meta({ id: 'FlowBlueprint' })
export type Blueprint = z.infer<typeof Blueprint>

export const bundledBlueprints: unknown[] = [contractReview, laborArbitration, privateLending]

const areUnique = (keys: string[]) => new Set(keys).size === keys.length

const Bundle = z
  .array(
    Blueprint.refine(({ phases }) => areUnique(phases.map((phase) => phase.phase_id)), {
      error: 'Duplicate phase_id.',
    }),
  )
  .refine((list) => areUnique(list.map((blueprint) => blueprint.id)), { error: 'Duplicate id.' })

/** Throws on invalid blueprints, which stops the start of the service. An empty list is valid. */
export const parseBlueprints = (files: unknown[]): readonly Blueprint[] => Bundle.parse(files)
