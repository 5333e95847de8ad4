import * as z from 'zod'
import { fragment, type Sql } from './sql/sql.ts'

/** `limit` is an older name of `size`; where both are sent, `size` wins. */
export const PageQuery = z.object({
  page: z.coerce.number().int().min(1).default(1).describe('From 1.'),
  size: z.coerce.number().int().min(1).max(200).optional().describe('1 to 200, by default 20.'),
  limit: z.coerce.number().int().min(1).max(200).optional().describe('The same as `size`.'),
})

/** SQL's limit and offset for a page that was asked for. */
export function pageBounds({ page, size, limit }: z.output<typeof PageQuery>) {
  const most = size ?? limit ?? 20
  return { page, size: most, offset: (page - 1) * most }
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

type Part = ReturnType<typeof fragment>

/** One page of what `from` names: a table and its condition. */
export async function selectPage<Schema extends z.ZodType>(
  sql: Sql,
  schema: Schema,
  query: z.output<typeof PageQuery>,
  { from, order, columns = fragment`*` }: { from: Part; order: Part; columns?: Part },
) {
  const asked = pageBounds(query)
  const [items, count] = await Promise.all([
    sql.rows(schema)`
      select ${columns} from ${from} order by ${order} limit ${asked.size} offset ${asked.offset}`,
    sql.row(Total)`select count(*) as total from ${from}`,
  ])
  return toPage(items, count!.total, asked)
}
