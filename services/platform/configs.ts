import * as z from 'zod'
import { ifMatch, ok, okWithETag, staleVersion } from '../_kit/endpoint.ts'
import { Fault, notFound } from '../_kit/fault.ts'
import { Key } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, json, type Sql } from '../_kit/sql/sql.ts'
import { recordPlatformChange } from './audit-chain.ts'
import { ByKey, Description, SystemConfig, Value } from './config.ts'
import { del, get, manage, post, put } from './deps.ts'

const NewConfig = z.object({ key: Key, value: Value, description: Description.default('') })
const ConfigEdit = z.object({ value: Value, description: Description.optional() })

const path = '/api/v1/configs'
const table = fragment`platform.configs`

export const configs = [
  get(
    '/api/v1/internal/platform/configs/:key',
    {
      summary: 'Read a config, as another service',
      params: ByKey,
      responses: { 200: SystemConfig },
      versioned: true,
    },
    async (c, { params }) => okWithETag(c, await configByKey(c.env.sql, params.key)),
  ),

  get(
    path,
    {
      summary: 'Configs by key',
      guard: manage,
      query: PageQuery.extend({ q: z.string().max(200).optional().describe('How keys begin.') }),
      responses: { 200: pageSchema(SystemConfig) },
    },
    async (c, { query }) => {
      const from = query.q ? fragment`${table} where starts_with(key, ${query.q})` : table
      return ok(c, await selectPage(c.env.sql, SystemConfig, query, { from, order: fragment`key` }))
    },
  ),

  post(
    path,
    {
      summary: 'Make a config',
      guard: manage,
      body: NewConfig,
      responses: { 201: SystemConfig },
      versioned: true,
      idempotencyKey: true,
    },
    async (c, { body: { key, value, description } }) => {
      const config = await c.env.sql.transaction(async (sql) => {
        const made = await sql.row(SystemConfig)`
          insert into ${table} (key, value, description)
          values (${key}, ${json(value)}, ${description})
          on conflict (key) do nothing returning *`
        if (!made) throw new Fault('CONFLICT', `There is a config with the key ${key}.`)
        await recordPlatformChange(sql, c.var.caller, 'config.created', `config:${key}`, {
          version: 1,
        })
        return made
      })
      return okWithETag(c, config, 201)
    },
  ),

  get(
    `${path}/:key`,
    {
      summary: 'Read a config',
      guard: manage,
      params: ByKey,
      responses: { 200: SystemConfig },
      versioned: true,
    },
    async (c, { params }) => okWithETag(c, await configByKey(c.env.sql, params.key)),
  ),

  put(
    `${path}/:key`,
    {
      summary: 'Give a config another value',
      description: 'A description that is left out stays.',
      guard: manage,
      params: ByKey,
      body: ConfigEdit,
      responses: { 200: SystemConfig },
      versioned: true,
    },
    async (c, { params: { key }, body }) => {
      const expected = ifMatch(c)
      const config = await c.env.sql.transaction(async (sql) => {
        const before = await lockConfig(sql, key, expected)
        const after = await sql.row(SystemConfig)`
          update ${table} set value = ${json(body.value)},
            description = ${body.description ?? before.description},
            version = version + 1, updated_at = now()
          where key = ${key} returning *`
        const { version } = after!
        await recordPlatformChange(sql, c.var.caller, 'config.updated', `config:${key}`, {
          version,
        })
        return after!
      })
      return okWithETag(c, config)
    },
  ),

  del(
    `${path}/:key`,
    {
      summary: 'Delete a config',
      guard: manage,
      params: ByKey,
      responses: { 200: z.object({ deleted: z.literal(true) }) },
      versioned: true,
    },
    async (c, { params: { key } }) => {
      const expected = ifMatch(c)
      await c.env.sql.transaction(async (sql) => {
        const { version } = await lockConfig(sql, key, expected)
        await sql`delete from ${table} where key = ${key}`
        await recordPlatformChange(sql, c.var.caller, 'config.deleted', `config:${key}`, {
          version,
        })
      })
      return ok(c, { deleted: true })
    },
  ),
]

async function configByKey(sql: Sql, key: string): Promise<SystemConfig> {
  const config = await sql.row(SystemConfig)`select * from ${table} where key = ${key}`
  if (!config) throw notFound(`config ${key}`)
  return config
}

async function lockConfig(sql: Sql, key: string, expected: number | null): Promise<SystemConfig> {
  const config = await sql.row(SystemConfig)`select * from ${table} where key = ${key} for update`
  if (!config) throw notFound(`config ${key}`)
  if (expected !== null && expected !== config.version) throw staleVersion(config.version)
  return config
}
