import * as z from 'zod'
import { Id, JsonObject, Time } from '../../_kit/fields.ts'
import { newId } from '../../_kit/ids.ts'
import { fragment, json, type Sql } from '../../_kit/sql/sql.ts'
import { del, get, patch, post, put } from '../deps.ts'
import { removePerson, restorePerson } from './deprovision.ts'
import { applyPatch, DescribedPatch, PatchRequest } from './patch.ts'
import {
  ListQuery,
  listResponse,
  parseFilter,
  resolveBounds,
  respondScim,
  ScimError,
  scimContent,
  scimErrors,
} from './respond.ts'

const path = '/scim/v2/Users'
const schema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const ById = z.object({ id: Id })
const responses = { 200: scimContent, ...scimErrors }

/** Directories send booleans also as text. */
const Flag = z.union([
  z.boolean(),
  z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(['true', 'false']))
    .transform((text) => text === 'true'),
])

const UserResource = z.looseObject({
  userName: z.string().min(1).max(200),
  externalId: z.string().max(200).nullish(),
  active: Flag.default(true),
})
type UserResource = z.output<typeof UserResource>

const UserRow = z.object({ id: Id, resource: JsonObject, created_at: Time, updated_at: Time })
const DescribedResource = JsonObject.meta({
  required: ['userName'],
  properties: { userName: { type: 'string', minLength: 1, maxLength: 200 } },
})
const Total = z.object({ total: z.int() })
const columns = fragment`id, resource, created_at, updated_at`

const toResource = ({ id, resource, created_at, updated_at }: z.output<typeof UserRow>) => ({
  ...resource,
  schemas: [schema],
  id,
  meta: {
    resourceType: 'User',
    created: created_at,
    lastModified: updated_at,
    location: `${path}/${id}`,
  },
})

const filters = { userName: 'user_name', externalId: 'external_id', id: 'id' }

/** Users (RFC 7644). A user who is deleted or not active loses every session and token at once. */
export const scimUsers = [
  get(path, { summary: 'List users', query: ListQuery, responses }, (c, { query }) =>
    respondScim(c, async () => {
      const filter = parseFilter(query.filter, Object.keys(filters))
      const { offset, limit } = resolveBounds(query)
      const condition = filterCondition(filter)
      const { sql } = c.env
      const rows = await sql.rows(UserRow)`
        select ${columns} from gateway.scim_users where ${condition}
        order by created_at, id limit ${limit} offset ${offset}`
      const total = await sql.row(Total)`
        select count(*) as total from gateway.scim_users where ${condition}`
      return listResponse(rows.map(toResource), total!.total, offset)
    }),
  ),

  post(
    path,
    {
      summary: 'Create a user',
      body: DescribedResource,
      responses: { 201: scimContent, ...scimErrors },
    },
    async (c, { body }) => {
      const create = async () => {
        const user = UserResource.parse(body)
        return c.env.sql.transaction(async (tx) => {
          const row = await tx.row(UserRow)`
            insert into gateway.scim_users (id, user_name, external_id, active, resource)
            values (${newId()}, ${user.userName}, ${user.externalId ?? null}, ${user.active},
              ${json(user)})
            returning ${columns}`
          await applyActive(tx, c.env.scim!.organization, row!.id, user)
          return toResource(row!)
        })
      }
      const response = await respondScim(c, create, 201)
      c.env.identities.clear()
      return response
    },
  ),

  get(`${path}/:id`, { summary: 'Get a user', params: ById, responses }, (c, { params }) =>
    respondScim(c, async () => toResource(await requireUser(c.env.sql, params.id))),
  ),

  put(
    `${path}/:id`,
    { summary: 'Replace a user', params: ById, body: DescribedResource, responses },
    async (c, { params, body }) => {
      const response = await respondScim(c, () =>
        c.env.sql.transaction(async (tx) => {
          const stored = await requireUser(tx, params.id)
          return saveUser(tx, c.env.scim!.organization, stored, body)
        }),
      )
      c.env.identities.clear()
      return response
    },
  ),

  patch(
    `${path}/:id`,
    { summary: 'Update a user', params: ById, body: DescribedPatch, responses },
    async (c, { params, body }) => {
      const response = await respondScim(c, () =>
        c.env.sql.transaction(async (tx) => {
          const stored = await requireUser(tx, params.id)
          const patched = applyPatch(stored.resource, PatchRequest.parse(body).Operations)
          return saveUser(tx, c.env.scim!.organization, stored, patched)
        }),
      )
      c.env.identities.clear()
      return response
    },
  ),

  del(
    `${path}/:id`,
    { summary: 'Delete a user', params: ById, responses: { 204: { content: {} }, ...scimErrors } },
    async (c, { params }) => {
      const response = await respondScim(c, () =>
        c.env.sql.transaction(async (tx) => {
          const user = UserResource.parse((await requireUser(tx, params.id)).resource)
          await removePerson(tx, c.env.scim!.organization, namesOf(params.id, user))
          await tx`delete from gateway.scim_users where id = ${params.id}`
          return null
        }),
      )
      c.env.identities.clear()
      return response
    },
  ),
]

function filterCondition(filter: ReturnType<typeof parseFilter>) {
  if (!filter) return fragment`true`
  if (filter.attribute === 'userName') return fragment`lower(user_name) = lower(${filter.value})`
  return filter.attribute === 'id'
    ? fragment`id::text = ${filter.value}`
    : fragment`external_id = ${filter.value}`
}

/** Locks the user, so that a concurrent change does not bring an earlier state back. */
async function requireUser(sql: Sql, id: string) {
  const row = await sql.row(UserRow)`
    select ${columns} from gateway.scim_users where id = ${id} for update`
  if (!row) throw new ScimError(404, `There is no user ${id}.`)
  return row
}

/** Replaces a user. A name that the user no longer has is removed with its sessions and tokens. */
async function saveUser(
  tx: Sql,
  organization: string,
  stored: z.output<typeof UserRow>,
  resource: unknown,
) {
  const user = UserResource.parse(resource)
  const { id } = stored
  const row = await tx.row(UserRow)`
    update gateway.scim_users set user_name = ${user.userName},
      external_id = ${user.externalId ?? null}, active = ${user.active}, resource = ${json(user)},
      updated_at = now()
    where id = ${id} returning ${columns}`
  const names = new Set(namesOf(id, user).map((name) => name.toLowerCase()))
  const former = namesOf(id, UserResource.parse(stored.resource)).filter(
    (name) => !names.has(name.toLowerCase()),
  )
  if (former.length > 0) await removePerson(tx, organization, former)
  await applyActive(tx, organization, id, user)
  return toResource(row!)
}

/** Ids under which the person may sign in. */
const namesOf = (id: string, { userName, externalId }: UserResource) => [
  id,
  userName,
  ...(externalId ? [externalId] : []),
]

const applyActive = (tx: Sql, organization: string, id: string, user: UserResource) =>
  user.active
    ? restorePerson(tx, organization, namesOf(id, user))
    : removePerson(tx, organization, namesOf(id, user))
