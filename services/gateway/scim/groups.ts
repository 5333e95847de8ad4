import * as z from 'zod'
import { Id, JsonObject, Time } from '../../_kit/fields.ts'
import { newId } from '../../_kit/ids.ts'
import { fragment, json, type Sql, textArray } from '../../_kit/sql/sql.ts'
import { del, get, patch, post, put } from '../deps.ts'
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

const path = '/scim/v2/Groups'
const schema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const ById = z.object({ id: Id })
const responses = { 200: scimContent, ...scimErrors }

const GroupResource = z.looseObject({
  displayName: z.string().min(1).max(200),
  externalId: z.string().max(200).nullish(),
  members: z.array(z.object({ value: Id })).default([]),
})
const GroupRow = z.object({
  id: Id,
  resource: JsonObject,
  members: z.array(z.string()),
  created_at: Time,
  updated_at: Time,
})
const DescribedResource = JsonObject.meta({
  required: ['displayName'],
  properties: { displayName: { type: 'string', minLength: 1, maxLength: 200 } },
})
const Total = z.object({ total: z.int() })
const columns = fragment`id, resource, created_at, updated_at,
  (select coalesce(json_agg(user_id order by user_id), '[]') from gateway.scim_members
    where group_id = gateway.scim_groups.id) as members`

const toResource = ({
  id,
  resource,
  members,
  created_at,
  updated_at,
}: z.output<typeof GroupRow>) => ({
  ...resource,
  schemas: [schema],
  id,
  members: members.map((value) => ({ value })),
  meta: {
    resourceType: 'Group',
    created: created_at,
    lastModified: updated_at,
    location: `${path}/${id}`,
  },
})

/** Groups (RFC 7644). They are kept for the directory; rights come from the claims of a sign-in. */
export const scimGroups = [
  get(path, { summary: 'List groups', query: ListQuery, responses }, (c, { query }) =>
    respondScim(c, async () => {
      const filter = parseFilter(query.filter, ['displayName', 'externalId', 'id'])
      const { offset, limit } = resolveBounds(query)
      const condition = filterCondition(filter)
      const rows = await c.env.sql.rows(GroupRow)`
        select ${columns} from gateway.scim_groups where ${condition}
        order by created_at, id limit ${limit} offset ${offset}`
      const total = await c.env.sql.row(Total)`
        select count(*) as total from gateway.scim_groups where ${condition}`
      return listResponse(rows.map(toResource), total!.total, offset)
    }),
  ),

  post(
    path,
    {
      summary: 'Create a group',
      body: DescribedResource,
      responses: { 201: scimContent, ...scimErrors },
    },
    (c, { body }) =>
      respondScim(
        c,
        () =>
          c.env.sql.transaction(async (tx) => {
            const { members, ...group } = GroupResource.parse(body)
            const id = newId()
            await tx`
            insert into gateway.scim_groups (id, display_name, external_id, resource)
            values (${id}, ${group.displayName}, ${group.externalId ?? null}, ${json(group)})`
            await setMembers(tx, id, members)
            return toResource(await requireGroup(tx, id))
          }),
        201,
      ),
  ),

  get(`${path}/:id`, { summary: 'Get a group', params: ById, responses }, (c, { params }) =>
    respondScim(c, async () => toResource(await requireGroup(c.env.sql, params.id))),
  ),

  put(
    `${path}/:id`,
    { summary: 'Replace a group', params: ById, body: DescribedResource, responses },
    (c, { params, body }) =>
      respondScim(c, () =>
        c.env.sql.transaction(async (tx) => {
          await requireGroup(tx, params.id)
          return saveGroup(tx, params.id, body)
        }),
      ),
  ),

  patch(
    `${path}/:id`,
    { summary: 'Update a group', params: ById, body: DescribedPatch, responses },
    (c, { params, body }) =>
      respondScim(c, () =>
        c.env.sql.transaction(async (tx) => {
          const group = toResource(await requireGroup(tx, params.id))
          return saveGroup(tx, params.id, applyPatch(group, PatchRequest.parse(body).Operations))
        }),
      ),
  ),

  del(
    `${path}/:id`,
    { summary: 'Delete a group', params: ById, responses: { 204: { content: {} }, ...scimErrors } },
    (c, { params }) =>
      respondScim(c, async () => {
        const deleted = await c.env.sql`
        delete from gateway.scim_groups where id = ${params.id} returning id`
        if (deleted.length === 0) throw new ScimError(404, `There is no group ${params.id}.`)
        return null
      }),
  ),
]

function filterCondition(filter: ReturnType<typeof parseFilter>) {
  if (!filter) return fragment`true`
  if (filter.attribute === 'displayName') return fragment`display_name = ${filter.value}`
  return filter.attribute === 'id'
    ? fragment`id::text = ${filter.value}`
    : fragment`external_id = ${filter.value}`
}

async function requireGroup(sql: Sql, id: string) {
  const row = await sql.row(GroupRow)`
    select ${columns} from gateway.scim_groups where id = ${id} for update`
  if (!row) throw new ScimError(404, `There is no group ${id}.`)
  return row
}

async function saveGroup(tx: Sql, id: string, resource: unknown) {
  const { members, ...group } = GroupResource.parse(resource)
  await tx`
    update gateway.scim_groups set display_name = ${group.displayName},
      external_id = ${group.externalId ?? null}, resource = ${json(group)}, updated_at = now()
    where id = ${id}`
  await setMembers(tx, id, members)
  return toResource(await requireGroup(tx, id))
}

async function setMembers(tx: Sql, id: string, members: { value: string }[]) {
  const ids = textArray([...new Set(members.map(({ value }) => value))])
  await tx`delete from gateway.scim_members where group_id = ${id} and user_id <> all(${ids}::uuid[])`
  await tx`
    insert into gateway.scim_members (group_id, user_id)
    select ${id}, id from gateway.scim_users where id = any(${ids}::uuid[])
    on conflict do nothing`
}
