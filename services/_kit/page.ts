import * as z from 'zod'
import { fragment, type Sql, type SqlFragment } from './sql/sql.ts'

/** Page parameters. `limit` is an alias of `size`; `size` wins. */
export const PageQuery = z.object({
  page: z.coerce.number().int().min(1).default(1).describe('Page number from 1. Default: 1.'),
  size: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .optional()
    .describe('Items per page, 1 to 200. Default: 20.'),
  limit: z.coerce.number().int().min(1).max(200).optional().describe('Alias of `size`.'),
})

/** Limit and offset of the requested page. */
export function pageBounds({ page, size, limit }: z.output<typeof PageQuery>) {
  const pageSize = size ?? limit ?? 20
  return { page, size: pageSize, offset: (page - 1) * pageSize }
}

export const pageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    page: z.int(),
    size: z.int(),
    total: z.int(),
    total_pages: z.int(),
  })

export const toPage = <T>(
  items: T[],
  total: number,
  { page, size }: { page: number; size: number },
) => ({
  items,
  page,
  size,
  total,
  total_pages: Math.ceil(total / size),
})

const Total = z.object({ total: z.int() })

/** Selects one page from a table with its condition (`from`). */
export async function selectPage<Schema extends z.ZodType>(
  sql: Sql,
  schema: Schema,
  query: z.output<typeof PageQuery>,
  {
    from,
    order,
    columns = fragment`*`,
  }: { from: SqlFragment; order: SqlFragment; columns?: SqlFragment },
) {
  const bounds = pageBounds(query)
  const [items, count] = await Promise.all([
    sql.rows(schema)`
      select ${columns} from ${from} order by ${order} limit ${bounds.size} offset ${bounds.offset}`,
    sql.row(Total)`select count(*) as total from ${from}`,
  ])
  return toPage(items, count!.total, bounds)
}
