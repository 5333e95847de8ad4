import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { invalid } from '../_kit/fault.ts'
import { Id } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import { KeyedRecord, keyedResource, NewRecord, RecordPatch } from './keyed-resource.ts'

const Tag = KeyedRecord.extend({ group_id: Id.nullable() }).meta({ id: 'Tag' })

const path = '/api/v1/tags'
const table = fragment`platform.tags`

export const tags = [
  get(
    path,
    {
      summary: 'List tags by key',
      query: PageQuery.extend({ group_id: Id.optional() }),
      responses: { 200: pageSchema(Tag) },
    },
    async (c, { query }) => {
      const { group_id } = query
      const from = group_id ? fragment`${table} where group_id = ${group_id}` : table
      return ok(c, await selectPage(c.env.sql, Tag, query, { from, order: fragment`key` }))
    },
  ),

  ...keyedResource({
    noun: 'tag',
    path,
    table,
    Record: Tag,
    NewRecord: NewRecord.extend({ group_id: Id.nullable().default(null) }),
    RecordPatch: RecordPatch.extend({ group_id: z.optional(Id.nullable()) }),
    async validate(sql, _, { group_id }) {
      if (!group_id) return
      const [group] = await sql`select key from platform.tag_groups where id = ${group_id}`
      if (!group) throw invalid([{ path: 'group_id', message: 'The group does not exist.' }])
    },
  }),
]
