import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import {
  type ErasureRequest,
  ErasureResponse,
  eraseInTransaction,
  erasurePath,
  ErasureRequest as Request,
} from '../_kit/erasure.ts'
import { Id } from '../_kit/fields.ts'
import { organization } from '../_kit/identity.ts'
import { fragment, identifier, type Sql, type SqlFragment, textArray } from '../_kit/sql/sql.ts'
import { post } from './deps.ts'

const Response = ErasureResponse.extend({
  matter_ids: z.array(Id).describe('Erased matters.'),
  file_ids: z.array(z.string()).describe('Files that no other matter of the organization uses.'),
})

/** Tables of a matter. A table comes before the tables that it references. */
const tables = [
  'todos',
  'phases',
  'deliverables',
  'deliverable_versions',
  'facts',
  'events',
  'syncs',
  'submissions',
  'analysis_versions',
]

export const erasure = [
  post(
    erasurePath,
    {
      summary: 'Erase the matters of a user or one matter',
      description:
        'Erases matters whose client is the user. In other matters of the organization the user is removed as lawyer and as actor of events.',
      guard: organization,
      body: Request,
      responses: { 200: Response },
    },
    async (c, { body }) => {
      const org = c.var.caller.organizationId!
      const result = await eraseInTransaction(c.env.sql, body.dry_run, (sql) =>
        erase(sql, org, body),
      )
      return ok(c, result)
    },
  ),
]

const MatterId = z.object({ id: Id })

async function erase(sql: Sql, org: string, { user_id, matter_id }: ErasureRequest) {
  const subject =
    user_id === undefined ? fragment`id::text = ${matter_id!}` : fragment`user_id = ${user_id}`
  const matters = await sql.rows(MatterId)`
    select id from matter.matters where organization_id = ${org} and ${subject}
    order by id for update`
  const ids = matters.map(({ id }) => id)
  const list = fragment`${textArray(ids)}::uuid[]`
  const file_ids = await loadExclusiveFiles(sql, org, ids)
  const erased: Record<string, number> = {}
  for (const table of tables) {
    const rows = await sql`
      delete from ${identifier(`matter.${table}`)} where matter_id = any(${list}) returning 1 as one`
    erased[table] = rows.length
  }
  await sql`delete from matter.matters where organization_id = ${org} and id = any(${list})`
  erased.matters = ids.length
  if (user_id !== undefined) erased.references = await removeReferences(sql, org, user_id)
  return { erased, matter_ids: ids, file_ids }
}

const FileId = z.object({ file_id: z.string() })

/** Files of the matters, all versions of deliverables included, that no other matter of the organization uses. */
async function loadExclusiveFiles(sql: Sql, org: string, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const files = (condition: SqlFragment) =>
    fragment`
      select jsonb_array_elements_text(file_ids) as file_id from matter.matters
      where organization_id = ${org} and ${condition}
      union
      select file_id from matter.deliverable_versions join matter.matters on matters.id = matter_id
      where organization_id = ${org} and file_id is not null and ${condition}`
  const list = fragment`${textArray(ids)}::uuid[]`
  const rows = await sql.rows(FileId)`
    select file_id from (${files(fragment`matters.id = any(${list})`)}) own
    except
    select file_id from (${files(fragment`not matters.id = any(${list})`)}) other
    order by file_id`
  return rows.map(({ file_id }) => file_id)
}

/** Replaces a user in matters of other people. */
async function removeReferences(sql: Sql, org: string, user: string): Promise<number> {
  const lawyers = await sql`
    update matter.matters set lawyer_id = null
    where organization_id = ${org} and lawyer_id = ${user} returning id`
  const events = await sql`
    update matter.events set actor = 'erased'
    where actor = ${user} and matter_id in (
      select id from matter.matters where organization_id = ${org})
    returning id`
  return lawyers.length + events.length
}
