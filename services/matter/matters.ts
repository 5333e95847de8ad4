import * as z from 'zod'
import { ifMatch, ok, okWithETag } from '../_kit/endpoint.ts'
import { invalid } from '../_kit/fault.ts'
import { ExternalId, JsonObject } from '../_kit/fields.ts'
import { assertSameOrganization, type Caller } from '../_kit/identity.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, join } from '../_kit/sql/sql.ts'
import { createMatter } from './create.ts'
import { get, post, put } from './deps.ts'
import { MatterPatch, updateMatter } from './edit.ts'
import { FileIds, OrganizationId, Title } from './fields.ts'
import { ById, columns, loadMatter, lockMatter, Matter, MatterCategory, Status } from './matter.ts'
import { mergePatch, mergeSections, union } from './merge.ts'
import { bodySchema } from './playbook.ts'
import {
  actorId,
  isStaff,
  serviceGuard,
  userGuard,
  visibleMatters,
  visibleToService,
  visibleToUser,
} from './scope.ts'

const NewMatter = z
  .object({
    title: Title,
    matter_category: MatterCategory.default('consultation'),
    cause_of_action_code: ExternalId.nullable().default(null),
    service_type_id: ExternalId.default('legal_consultation'),
    user_id: ExternalId.optional().describe('Client of the matter. Default: the caller.'),
    organization_id: OrganizationId.optional(),
    provider_organization_id: OrganizationId.nullable().default(null),
    lawyer_id: ExternalId.nullable().default(null),
    firm_id: ExternalId.nullable().default(null),
    file_ids: FileIds.default([]),
    profile: JsonObject.default({}),
    data: JsonObject.default({}),
  })
  .meta({ examples: [{ title: 'Loan to Li', matter_category: 'civil_litigation', user_id: 7 }] })

const Filters = PageQuery.extend({
  status: Status.optional(),
  matter_category: MatterCategory.optional(),
  user_id: z.string().max(200).optional(),
  q: z.string().max(200).optional().describe('Text in the title or the cause of action code.'),
})

const path = '/api/v1/matters'

export const matters = [
  get(
    path,
    {
      summary: 'List matters, last updated first',
      guard: userGuard,
      query: Filters,
      responses: { 200: pageSchema(Matter) },
    },
    async (c, { query }) => {
      const { status, matter_category, user_id, q } = query
      const conditions = join([
        ...(status ? [fragment` and status = ${status}`] : []),
        ...(matter_category ? [fragment` and matter_category = ${matter_category}`] : []),
        ...(user_id ? [fragment` and user_id = ${user_id}`] : []),
        ...(q
          ? [
              fragment` and search_ngrams @> matter.query_ngrams(${q})
                and strpos(lower(title || ' ' || coalesce(cause_of_action_code, '')), lower(${q})) > 0`,
            ]
          : []),
      ])
      const page = await selectPage(c.env.sql, Matter, query, {
        columns,
        from: visibleMatters(c.var.caller, conditions),
        order: fragment`updated_at desc, id desc`,
      })
      return ok(c, page)
    },
  ),

  post(
    path,
    {
      summary: 'Create a matter',
      guard: userGuard,
      body: bodySchema(NewMatter),
      responses: { 201: Matter },
      versioned: true,
      idempotencyKey: true,
    },
    async (c, { body }) => {
      const { caller } = c.var
      assertSameOrganization(caller, body.organization_id, 'organization_id')
      const matter = await c.env.sql.transaction((sql) =>
        createMatter(sql, actorId(caller), {
          ...body,
          profile: mergePatch({}, body.profile),
          data: mergeSections({}, body.data),
          file_ids: union([], body.file_ids),
          user_id: resolveOwner(caller, body.user_id),
          organization_id: caller.organizationId!,
          session_id: null,
        }),
      )
      return okWithETag(c, matter!, 201)
    },
  ),

  get(
    `${path}/:id`,
    {
      summary: 'Get a matter',
      guard: userGuard,
      params: ById,
      responses: { 200: Matter },
      versioned: true,
    },
    async (c, { params }) =>
      okWithETag(c, await loadMatter(c.env.sql, visibleToUser(c.var.caller), params.id)),
  ),

  put(
    `${path}/:id`,
    {
      summary: 'Update a matter',
      description:
        'Omitted fields stay unchanged. `profile` merges by member, `data` by the members of each section; null removes a member. The status changes only by POST /status. Organization, user and session are immutable.',
      guard: userGuard,
      params: ById,
      body: bodySchema(MatterPatch),
      responses: { 200: Matter },
      versioned: true,
    },
    async (c, { params, body }) => {
      const { caller } = c.var
      const matter = await c.env.sql.transaction(async (sql) => {
        const before = await lockMatter(sql, visibleToUser(caller), params.id, ifMatch(c))
        return updateMatter(sql, before, actorId(caller), body)
      })
      return okWithETag(c, matter)
    },
  ),

  get(
    // Matches UUIDs only, because from-consultation has the same prefix.
    '/api/v1/internal/matters/:id{[0-9a-fA-F-]{36}}',
    {
      summary: 'Get a matter as a service',
      guard: serviceGuard,
      params: ById,
      responses: { 200: Matter },
      versioned: true,
    },
    async (c, { params }) =>
      okWithETag(c, await loadMatter(c.env.sql, visibleToService(c.var.caller), params.id)),
  ),
]

/** Staff may name the client; everyone else creates matters for themselves. */
function resolveOwner(caller: Caller, requested: string | undefined): string {
  const { userId } = caller
  const owner = requested ?? userId
  if (owner === undefined) {
    throw invalid([{ path: 'user_id', message: 'Required without X-User-Id.' }])
  }
  if (!isStaff(caller) && owner !== userId) {
    throw invalid([{ path: 'user_id', message: 'Contradicts the header X-User-Id.' }])
  }
  return owner
}
