import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault, invalid } from '../_kit/fault.ts'
import { Id } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, type Sql, textArray } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import { KeyedRecord, keyedResource, NewRecord, RecordPatch } from './keyed-resource.ts'

const Category = KeyedRecord.extend({ parent_id: Id.nullable() }).meta({ id: 'Category' })
type Category = z.infer<typeof Category>

const CategoryTree = Category.extend({
  get children() {
    return z.array(CategoryTree)
  },
}).meta({ id: 'CategoryTree' })
type CategoryTree = Category & { children: CategoryTree[] }

const path = '/api/v1/categories'
const table = fragment`platform.categories`

/** Maximum depth of the tree. Responses contain whole trees, and parsers limit nesting. */
const maxDepth = 100

export const categories = [
  get(
    path,
    {
      summary: 'List category trees by key',
      description: 'A page of root categories, each with all descendants.',
      query: PageQuery,
      responses: { 200: pageSchema(CategoryTree) },
    },
    async (c, { query }) => {
      const { sql } = c.env
      const roots = fragment`${table} where parent_id is null`
      const page = await selectPage(sql, Category, query, { from: roots, order: fragment`key` })
      return ok(c, { ...page, items: await loadTrees(sql, page.items) })
    },
  ),

  ...keyedResource({
    noun: 'category',
    path,
    table,
    Record: Category,
    NewRecord: NewRecord.extend({ parent_id: Id.nullable().default(null) }),
    RecordPatch: RecordPatch.extend({ parent_id: z.optional(Id.nullable()) }),
    async validate(sql, id, { parent_id }) {
      if (parent_id) await validateParent(sql, id, parent_id)
    },
    async assertUnreferenced(sql, id) {
      const [child] = await sql`select key from ${table} where parent_id = ${id} limit 1`
      if (child) throw new Fault('CONFLICT', 'The category has children. Delete them first.')
    },
  }),
]

async function loadTrees(sql: Sql, roots: Category[]): Promise<CategoryTree[]> {
  const descendants = await sql.rows(Category)`
    with recursive below as (
      select * from ${table} where parent_id = any(${textArray(roots.map(({ id }) => id))}::uuid[])
      union all
      select child.* from ${table} child join below on child.parent_id = below.id)
    select * from below order by key`
  const byParent = Map.groupBy(descendants, ({ parent_id }) => parent_id)
  const buildTree = (category: Category): CategoryTree => ({
    ...category,
    children: (byParent.get(category.id) ?? []).map(buildTree),
  })
  return roots.map(buildTree)
}

const TreePosition = z.object({ above: z.int(), levels: z.int(), circular: z.boolean() })

/** Serialized by a lock: two concurrent moves could form a cycle together. */
async function validateParent(sql: Sql, id: string, parent: string) {
  const parentFault = (message: string) => invalid([{ path: 'parent_id', message }])
  await sql`select pg_advisory_xact_lock(hashtext('platform.categories'))`
  const position = await sql.row(TreePosition)`
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
  const { above, levels, circular } = position!
  if (above === 0) throw parentFault('The category does not exist.')
  if (circular) throw parentFault('A category cannot be its own descendant.')
  if (above + levels > maxDepth) throw parentFault(`The tree would exceed ${maxDepth} levels.`)
}
