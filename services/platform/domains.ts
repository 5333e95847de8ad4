import { ok } from '../_kit/endpoint.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import { KeyedRecord, keyedResource, NewRecord, RecordPatch } from './keyed-resource.ts'

const Domain = KeyedRecord.meta({ id: 'Domain' })

const path = '/api/v1/domains'
const table = fragment`platform.domains`

export const domains = [
  get(
    path,
    { summary: 'List domains by key', query: PageQuery, responses: { 200: pageSchema(Domain) } },
    async (c, { query }) =>
      ok(c, await selectPage(c.env.sql, Domain, query, { from: table, order: fragment`key` })),
  ),

  ...keyedResource({ noun: 'domain', path, table, Record: Domain, NewRecord, RecordPatch }),
]
