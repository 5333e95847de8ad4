import { ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import { KeyedRecord, keyedResource, NewRecord, RecordPatch } from './keyed-resource.ts'

const TagGroup = KeyedRecord.meta({ id: 'TagGroup' })

const path = '/api/v1/tag-groups'
const table = fragment`platform.tag_groups`

export const tagGroups = [
  get(
    path,
    {
      summary: 'List tag groups by key',
      query: PageQuery,
      responses: { 200: pageSchema(TagGroup) },
    },
    async (c, { query }) =>
      ok(c, await selectPage(c.env.sql, TagGroup, query, { from: table, order: fragment`key` })),
  ),

  ...keyedResource({
    noun: 'tag group',
    path,
    table,
    Record: TagGroup,
    NewRecord,
    RecordPatch,
    async assertUnreferenced(sql, id) {
      const [tag] = await sql`select key from platform.tags where group_id = ${id} limit 1`
      if (tag) throw new Fault('CONFLICT', 'The group has tags. Move or delete them first.')
    },
  }),
]
