import * as z from 'zod'

/** Request schemas: the requests of the service, at least as strict as Qdrant. */
const Name = z.string().regex(/^[^<>:"/\\|?*\0]{1,255}$/)
export const PointId = z.int().min(0)

const Dense = z.array(z.number()).min(1)
const Sparse = z
  .strictObject({
    indices: z.array(
      z
        .int()
        .min(0)
        .max(2 ** 32 - 1),
    ),
    values: z.array(z.number()),
  })
  .refine(({ indices, values }) => indices.length === values.length, 'must be the same length')
  .refine(({ indices }) => new Set(indices).size === indices.length, 'must be unique')
export type Sparse = z.output<typeof Sparse>

export const NewCollection = z.strictObject({
  vectors: z.record(
    z.string(),
    z.strictObject({ size: z.int().min(1).max(65_536), distance: z.literal('Cosine') }),
  ),
  sparse_vectors: z.record(z.string(), z.strictObject({ modifier: z.enum(['none', 'idf']) })),
})

export const FieldIndex = z.strictObject({
  field_name: z.string().min(1),
  field_schema: z.enum(['integer', 'keyword']),
})

const Scalar = z.union([z.string(), z.int(), z.boolean()])
const Range = z.strictObject({ lte: z.number().optional(), gt: z.number().optional() })
const Condition = z.union([
  z.strictObject({ key: z.string().min(1), match: z.strictObject({ value: Scalar }) }),
  z.strictObject({
    key: z.string().min(1),
    match: z.strictObject({ any: z.union([z.array(z.string()), z.array(z.int())]) }),
  }),
  z.strictObject({ key: z.string().min(1), range: Range }),
  z.strictObject({ is_empty: z.strictObject({ key: z.string().min(1) }) }),
  z.strictObject({
    get should() {
      return z.array(Condition)
    },
  }),
])
export type Condition =
  | { key: string; match: { value: string | number | boolean } }
  | { key: string; match: { any: (string | number)[] } }
  | { key: string; range: { lte?: number | undefined; gt?: number | undefined } }
  | { is_empty: { key: string } }
  | { should: Condition[] }

export const Filter = z.strictObject({ must: z.array(Condition as z.ZodType<Condition>) })
export type Filter = z.output<typeof Filter>

export const Upsert = z.strictObject({
  points: z.array(
    z.strictObject({
      id: PointId,
      vector: z.record(z.string(), z.union([Dense, Sparse])),
      payload: z.record(z.string(), z.unknown()),
    }),
  ),
})
export type Point = z.output<typeof Upsert>['points'][number]

export const Delete = z.union([
  z.strictObject({ points: z.array(PointId) }),
  z.strictObject({ filter: Filter }),
])

const selectionFields = {
  with_payload: z.union([z.array(z.string()), z.literal(true)]).optional(),
  with_vector: z.boolean().optional(),
}
export const Scroll = z.strictObject({
  limit: z.int().min(1).default(10),
  offset: PointId.nullish(),
  ...selectionFields,
})
export const Retrieve = z.strictObject({ ids: z.array(PointId), ...selectionFields })
export const Count = z.strictObject({ exact: z.boolean().default(true) })

export const Searches = z.strictObject({
  searches: z.array(
    z.strictObject({
      query: z.union([Dense, Sparse]),
      using: z.string(),
      filter: Filter.optional(),
      limit: z.int().min(1).default(10),
    }),
  ),
})
export type Search = z.output<typeof Searches>['searches'][number]

export const Aliases = z.strictObject({
  actions: z.array(
    z.union([
      z.strictObject({ delete_alias: z.strictObject({ alias_name: Name }) }),
      z.strictObject({
        create_alias: z.strictObject({ collection_name: Name, alias_name: Name }),
      }),
    ]),
  ),
})
export { Name }
