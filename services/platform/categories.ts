import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault, invalid } from '../_kit/fault.ts'
import { Id } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, type Sql, textArray } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import { Edit, Named, New, named } from './named.ts'

const Category = Named.extend({ parent_id: Id.nullable() }).meta({ id: 'Category' })
type Category = z.infer<typeof Category>

const CategoryTree = Category.extend({
  get children() {
    return z.array(CategoryTree)
  },
}).meta({ id: 'CategoryTree' })
type CategoryTree = Category & { children: CategoryTree[] }

const path = '/api/v1/categories'
const table = fragment`platform.categories`

/** A tree is answered whole, and what reads it may not be able to go deeper. */
const deepest = 100

export const categories = [
  get(
    path,
    {
      summary: 'The tree of categories by key',
      description: 'A page of categories without a parent, each with all that is below it.',
      query: PageQuery,
      responses: { 200: pageSchema(CategoryTree) },
    },
    async (c, { query }) => {
      const { sql } = c.env
      const roots = fragment`${table} where parent_id is null`
      const page = await selectPage(sql, Category, query, { from: roots, order: fragment`key` })
      return ok(c, { ...page, items: await withChildren(sql, page.items) })
    },
  ),

  ...named({
    word: 'category',
    path,
    table,
    Record: Category,
    New: New.extend({ parent_id: Id.nullable().default(null) }),
    Edit: Edit.extend({ parent_id: z.optional(Id.nullable()) }),
    async fits(sql, id, { parent_id }) {
      if (parent_id) await fitsBelow(sql, id, parent_id)
    },
    async unused(sql, id) {
      const [child] = await sql`select key from ${table} where parent_id = ${id} limit 1`
      if (child) throw new Fault('CONFLICT', 'The category has others below it; delete them first.')
    },
  }),
]

async function withChildren(sql: Sql, roots: Category[]): Promise<CategoryTree[]> {
  const below = await sql.rows(Category)`
    with recursive below as (
      select * from ${table} where parent_id = any(${textArray(roots.map(({ id }) => id))}::uuid[])
      union all
      select child.* from ${table} child join below on child.parent_id = below.id)
    select * from below order by key`
  const byParent = Map.groupBy(below, ({ parent_id }) => parent_id)
  const grow = (category: Category): CategoryTree => ({
    ...category,
    children: (byParent.get(category.id) ?? []).map(grow),
  })
  return roots.map(grow)
}

const Place = z.object({ above: z.int(), levels: z.int(), circular: z.boolean() })

/** One writer at a time: two moves, each of them right, could make a circle together. */
async function fitsBelow(sql: Sql, id: string, parent: string) {
  const refuse = (message: string) => invalid([{ path: 'parent_id', message }])
  await sql`select pg_advisory_xact_lock(hashtext('platform.categories'))`
  const place = await sql.row(Place)`
    with recursive above as (
      select id, parent_id from ${table} where id = ${parent}
      union all
      select next.id, next.parent_id from ${table} next join above on next.id = above.parent_id),
    below as (
      select id, 1 as level from ${table} where id = ${id}
      union all
      select next.id, level + 1 from ${table} next join below on next.parent_id = below.id)
    select (select count(*) from above) as above,
      (select coalesce(max(level), 1) from below) as levels,
      exists (select from above where id = ${id}) as circular`
  const { above, levels, circular } = place!
  if (above === 0) throw refuse('There is no such category.')
  if (circular) throw refuse('A category cannot be below itself.')
  if (above + levels > deepest) throw refuse(`The tree would have more than ${deepest} levels.`)
}
