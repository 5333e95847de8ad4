import * as z from 'zod'
import { ok, okWithETag } from '../_kit/endpoint.ts'
import { Key } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment } from '../_kit/sql/sql.ts'
import { SystemConfig, Value } from './config.ts'
import { get, manage } from './deps.ts'
import { ByKey, Description, load, versionedResource } from './versioned-resource.ts'

const path = '/api/v1/configs'
const table = fragment`platform.configs`

const config = {
  noun: 'config',
  path,
  table,
  Record: SystemConfig,
  New: z.object({ key: Key, value: Value, description: Description.default('') }),
  Patch: z.object({ value: Value, description: Description.optional() }),
  jsonColumns: ['value'],
  readGuard: manage,
}

export const configs = [
  get(
    '/api/v1/internal/platform/configs/:key',
    {
      summary: 'Get a config as a service',
      params: ByKey,
      responses: { 200: SystemConfig },
      versioned: true,
    },
    async (c, { params }) => okWithETag(c, await load(c.env.sql, config, params.key)),
  ),

  get(
    path,
    {
      summary: 'List configs by key',
      guard: manage,
      query: PageQuery.extend({ q: z.string().max(200).optional().describe('Key prefix.') }),
      responses: { 200: pageSchema(SystemConfig) },
    },
    async (c, { query }) => {
      const from = query.q ? fragment`${table} where starts_with(key, ${query.q})` : table
      return ok(c, await selectPage(c.env.sql, SystemConfig, query, { from, order: fragment`key` }))
    },
  ),

  ...versionedResource(config),
]
