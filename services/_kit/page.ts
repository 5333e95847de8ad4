import * as z from 'zod'
import { invalid } from './fault.ts'
import {
  afterCursor,
  type Cursor,
  decodeCursor,
  encodeCursor,
  invalidCursor,
  invalidCursorMessage,
  keysAsJson,
  orderByKeys,
  parseKeys,
  parseOrder,
  selectKeys,
} from './page-cursor.ts'
import { fragment, integerLiteral, join, type Sql, type SqlFragment } from './sql/sql.ts'

/** Page parameters. `limit` is an alias of `size`; `size` wins. */
export const PageQuery = z.object({
  page: z.coerce.number().int().min(1).optional().describe('Page number from 1. Default: 1.'),
  cursor: z
    .string()
    .max(8_000)
    .regex(/^[\w-]+$/, invalidCursorMessage)
    .optional()
    .describe('`next_cursor` of the previous page, instead of `page`.'),
  size: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .optional()
    .describe('Items per page, 1 to 200. Default: 20.'),
  limit: z.coerce.number().int().min(1).max(200).optional().describe('Alias of `size`.'),
})
type PageQuery = z.output<typeof PageQuery>

interface PageBounds {
  page: number
  size: number
  offset: number
  cursor: Cursor | undefined
}

/** Reads the page parameters. The offset of a cursor without sort keys follows from its page number. */
export function pageBounds({ page, cursor, size, limit }: PageQuery): PageBounds {
  if (page !== undefined && cursor !== undefined) {
    throw invalid([{ path: 'cursor', message: 'Send either page or cursor.' }])
  }
  const position = cursor === undefined ? undefined : decodeCursor(cursor)
  const number = position?.page ?? page ?? 1
  const pageSize = size ?? limit ?? 20
  return { page: number, size: pageSize, offset: (number - 1) * pageSize, cursor: position }
}

export const pageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    page: z.int(),
    size: z.int(),
    total: z.int(),
    total_pages: z.int(),
    total_is_estimate: z.literal(true).optional().describe('Set if `total` is an estimate.'),
    next_cursor: z
      .string()
      .nullable()
      .describe('`cursor` of the next page. Null on the last page.'),
  })

/** Page of a list that is not in the database. `items` are those of the page. */
export const toPage = <T>(items: T[], total: number, { page, size, offset }: PageBounds) => ({
  items,
  page,
  size,
  total,
  total_pages: Math.ceil(total / size),
  next_cursor:
    offset + items.length < total && items.length > 0
      ? encodeCursor({ page: page + 1, keys: [] })
      : null,
})

const PageRow = z.looseObject({ page_keys: z.string() })

/**
 * Selects one page from a table with its condition (`from`), or from several that have no row in common. `order` must
 * be total, with all keys not null and in one direction. A cursor continues after the sort keys of an item, so its
 * cost does not grow with the page. Replanned, because the conditions may select all rows or a few.
 */
export async function selectPage<Schema extends z.ZodType>(
  sql: Sql,
  schema: Schema,
  query: PageQuery,
  {
    from,
    order,
    columns = fragment`*`,
  }: { from: SqlFragment | SqlFragment[]; order: SqlFragment; columns?: SqlFragment },
) {
  const { page, size, offset, cursor } = pageBounds(query)
  const sort = parseOrder(order)
  const sources = [from].flat()
  const skipped = cursor ? 0 : offset
  // Each source is sorted and limited by itself, so that each can use an index in the order of the list.
  const heads = sources.map(
    (source) => fragment`(
      select * from (select ${columns} ${selectKeys(sort)} from ${source}) page
      ${cursor ? afterCursor(sort, cursor) : fragment``}
      order by ${orderByKeys(sort)} limit ${skipped + size + 1})`,
  )
  const [rows, total] = await Promise.all([
    sql.replan.rows(PageRow)`
      select *, ${keysAsJson(sort)} as page_keys from (${unionAll(heads)}) page
      order by ${orderByKeys(sort)} limit ${size + 1} offset ${skipped}`.catch(
      (thrown: unknown) => {
        throw cursor && isCursorMismatch(thrown) ? invalidCursor() : thrown
      },
    ),
    countRows(sql, unionAll(sources.map((source) => fragment`select from ${source}`))),
  ])
  const shown = rows.slice(0, size)
  const last = shown.at(-1)
  return {
    items: shown.map((row) => schema.parse(row)),
    page,
    size,
    ...total,
    total_pages: Math.ceil(total.total / size),
    next_cursor:
      last && rows.length > size
        ? encodeCursor({ page: page + 1, keys: parseKeys(last.page_keys) })
        : null,
  }
}

/** SQLSTATE of a cursor whose value does not fit its type, or whose types are not those of the list. */
const isCursorMismatch = (thrown: unknown) =>
  /^(22|42883|42804)/.test(String((thrown as { code?: unknown } | null)?.code))

/** Totals up to this number are exact. */
const maxExactTotal = 10_000

const Count = z.object({ count: z.int() })
const Plan = z.tuple([z.object({ Plan: z.object({ 'Plan Rows': z.number() }) })])
const Explained = z.object({
  'QUERY PLAN': z.preprocess((plan) => (typeof plan === 'string' ? JSON.parse(plan) : plan), Plan),
})

const unionAll = (selects: SqlFragment[]) =>
  join(selects.map((each, index) => (index === 0 ? each : fragment` union all ${each}`)))

/** Counts up to `maxExactTotal` rows. Beyond it the total is the row estimate of the planner. */
async function countRows(sql: Sql, select: SqlFragment) {
  const counted = await sql.replan.row(Count)`
    select count(*) as count
    from (${select} limit ${integerLiteral(maxExactTotal + 1)}) counted`
  const { count } = counted!
  if (count <= maxExactTotal) return { total: count }
  const explained = await sql.row(Explained)`explain (format json) ${select}`
  const estimate = Math.round(explained!['QUERY PLAN'][0].Plan['Plan Rows'])
  return { total: Math.max(estimate, count), total_is_estimate: true as const }
}
