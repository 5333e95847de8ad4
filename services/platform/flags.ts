import * as z from 'zod'
import { ifMatch, ok, okWithETag, staleVersion } from '../_kit/endpoint.ts'
import { Fault, notFound } from '../_kit/fault.ts'
import { ExternalId, Key } from '../_kit/fields.ts'
import { assertSameOrganization } from '../_kit/identity.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, json, type Sql, textArray } from '../_kit/sql/sql.ts'
import { recordPlatformChange } from './audit-chain.ts'
import { del, get, manage, post, put } from './deps.ts'
import { isEnabledFor } from './evaluate.ts'
import { FeatureFlag, Rules } from './flag.ts'

const Description = z.string().max(2_000)

const NewFlag = z.object({
  key: Key,
  enabled: z.boolean().default(false),
  description: Description.default(''),
  rules: Rules.default([]),
})

const FlagEdit = z
  .object({ enabled: z.boolean(), description: Description, rules: Rules })
  .partial()

const Evaluate = z.object({
  user_id: ExternalId.optional(),
  organization_id: ExternalId.optional(),
  keys: z.array(z.string().min(1).max(200)).max(1_000).optional(),
})

const ByKey = z.object({ key: Key })
const path = '/api/v1/feature-flags'
const table = fragment`platform.feature_flags`

export const flags = [
  get(
    path,
    {
      summary: 'Feature flags by key',
      query: PageQuery,
      responses: { 200: pageSchema(FeatureFlag) },
    },
    async (c, { query }) =>
      ok(c, await selectPage(c.env.sql, FeatureFlag, query, { from: table, order: fragment`key` })),
  ),

  post(
    path,
    {
      summary: 'Make a feature flag',
      guard: manage,
      body: NewFlag,
      responses: { 201: FeatureFlag },
      versioned: true,
      idempotencyKey: true,
    },
    async (c, { body: { key, enabled, description, rules } }) => {
      const flag = await c.env.sql.transaction(async (sql) => {
        const made = await sql.row(FeatureFlag)`
          insert into ${table} (key, enabled, description, rules)
          values (${key}, ${enabled}, ${description}, ${json(rules)})
          on conflict (key) do nothing returning *`
        if (!made) throw new Fault('CONFLICT', `There is a feature flag with the key ${key}.`)
        await recordPlatformChange(
          sql,
          c.var.caller,
          'feature_flag.created',
          `feature_flag:${key}`,
          { version: 1 },
        )
        return made
      })
      return okWithETag(c, flag, 201)
    },
  ),

  get(
    `${path}/:key`,
    {
      summary: 'Read a feature flag',
      params: ByKey,
      responses: { 200: FeatureFlag },
      versioned: true,
    },
    async (c, { params }) => okWithETag(c, await flagByKey(c.env.sql, params.key)),
  ),

  put(
    `${path}/:key`,
    {
      summary: 'Edit a feature flag',
      description: 'Members left out stay; rules that are sent replace all that were there.',
      guard: manage,
      params: ByKey,
      body: FlagEdit,
      responses: { 200: FeatureFlag },
      versioned: true,
    },
    async (c, { params: { key }, body }) => {
      const expected = ifMatch(c)
      const flag = await c.env.sql.transaction(async (sql) => {
        const before = await lockFlag(sql, key, expected)
        if (Object.keys(body).length === 0) return before
        const after = await sql.row(FeatureFlag)`
          update ${table} set enabled = ${body.enabled ?? before.enabled},
            description = ${body.description ?? before.description},
            rules = ${json(body.rules ?? before.rules)}, version = version + 1, updated_at = now()
          where key = ${key} returning *`
        const { version } = after!
        await recordPlatformChange(
          sql,
          c.var.caller,
          'feature_flag.updated',
          `feature_flag:${key}`,
          { version },
        )
        return after!
      })
      return okWithETag(c, flag)
    },
  ),

  del(
    `${path}/:key`,
    {
      summary: 'Delete a feature flag',
      guard: manage,
      params: ByKey,
      responses: { 200: z.object({ deleted: z.literal(true) }) },
      versioned: true,
    },
    async (c, { params: { key } }) => {
      const expected = ifMatch(c)
      await c.env.sql.transaction(async (sql) => {
        const { version } = await lockFlag(sql, key, expected)
        await sql`delete from ${table} where key = ${key}`
        await recordPlatformChange(
          sql,
          c.var.caller,
          'feature_flag.deleted',
          `feature_flag:${key}`,
          { version },
        )
      })
      return ok(c, { deleted: true })
    },
  ),

  post(
    '/api/v1/internal/platform/feature-flags/evaluate',
    {
      summary: 'Which flags are on for somebody',
      description:
        'Without keys all flags are told. A flag that is not known is off. The organization is that of X-Organization-Id where the body names none.',
      body: Evaluate,
      responses: { 200: z.object({ flags: z.record(z.string(), z.boolean()) }) },
    },
    async (c, { body: { user_id, organization_id, keys } }) => {
      const { caller } = c.var
      assertSameOrganization(caller, organization_id, 'organization_id')
      const subject = { user_id, organization_id: organization_id ?? caller.organizationId }
      const asked = keys ? fragment`where key = any(${textArray(keys)})` : fragment``
      const known = await c.env.sql.rows(FeatureFlag)`select * from ${table} ${asked}`
      const unknown = (keys ?? []).map((key) => [key, false] as const)
      const told = known.map((flag) => [flag.key, isEnabledFor(flag, subject)] as const)
      return ok(c, { flags: Object.fromEntries([...unknown, ...told]) })
    },
  ),
]

async function flagByKey(sql: Sql, key: string): Promise<FeatureFlag> {
  const flag = await sql.row(FeatureFlag)`select * from ${table} where key = ${key}`
  if (!flag) throw notFound(`feature flag ${key}`)
  return flag
}

async function lockFlag(sql: Sql, key: string, expected: number | null): Promise<FeatureFlag> {
  const flag = await sql.row(FeatureFlag)`select * from ${table} where key = ${key} for update`
  if (!flag) throw notFound(`feature flag ${key}`)
  if (expected !== null && expected !== flag.version) throw staleVersion(flag.version)
  return flag
}
