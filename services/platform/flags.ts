import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { ExternalId, Key } from '../_kit/fields.ts'
import { assertSameOrganization } from '../_kit/identity.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, textArray } from '../_kit/sql/sql.ts'
import { get, post } from './deps.ts'
import { isEnabledFor } from './evaluate.ts'
import { FeatureFlag, Rules } from './flag.ts'
import { redactFlag, redactionNote } from './redact-flag.ts'
import { Description, versionedResource } from './versioned-resource.ts'

const NewFlag = z.object({
  key: Key,
  enabled: z.boolean().default(false),
  description: Description.default(''),
  rules: Rules.default([]),
})

const FlagPatch = z
  .object({ enabled: z.boolean(), description: Description, rules: Rules })
  .partial()

const Evaluate = z.object({
  user_id: ExternalId.optional(),
  organization_id: ExternalId.optional(),
  keys: z.array(z.string().min(1).max(200)).max(1_000).optional(),
})

const path = '/api/v1/feature-flags'
const table = fragment`platform.feature_flags`

export const flags = [
  get(
    path,
    {
      summary: 'List feature flags by key',
      description: redactionNote,
      query: PageQuery,
      responses: { 200: pageSchema(FeatureFlag) },
    },
    async (c, { query }) => {
      const order = fragment`key`
      const page = await selectPage(c.env.sql, FeatureFlag, query, { from: table, order })
      return ok(c, { ...page, items: page.items.map((flag) => redactFlag(flag, c.var.caller)) })
    },
  ),

  ...versionedResource({
    noun: 'feature flag',
    path,
    table,
    Record: FeatureFlag,
    New: NewFlag,
    Patch: FlagPatch,
    jsonColumns: ['rules'],
    readNote: redactionNote,
    redact: redactFlag,
  }),

  post(
    '/api/v1/internal/platform/feature-flags/evaluate',
    {
      summary: 'Evaluate feature flags',
      description:
        'Without keys all flags are evaluated. Unknown flags are off. Default of organization_id: X-Organization-Id.',
      body: Evaluate,
      responses: { 200: z.object({ flags: z.record(z.string(), z.boolean()) }) },
    },
    async (c, { body: { user_id, organization_id, keys } }) => {
      const { caller } = c.var
      assertSameOrganization(caller, organization_id, 'organization_id')
      const subject = { user_id, organization_id: organization_id ?? caller.organizationId }
      const filter = keys ? fragment`where key = any(${textArray(keys)})` : fragment``
      const found = await c.env.sql.rows(FeatureFlag)`select * from ${table} ${filter}`
      const off = (keys ?? []).map((key) => [key, false] as const)
      const evaluated = found.map((flag) => [flag.key, isEnabledFor(flag, subject)] as const)
      return ok(c, { flags: Object.fromEntries([...off, ...evaluated]) })
    },
  ),
]
