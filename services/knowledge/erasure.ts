import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import {
  type ErasureRequest,
  ErasureResponse,
  eraseInTransaction,
  erasurePath,
  ErasureRequest as Request,
  requestedMatterIds,
} from '../_kit/erasure.ts'
import { organization } from '../_kit/identity.ts'
import { fragment, type Sql, textArray } from '../_kit/sql/sql.ts'
import { type Deps, post } from './deps.ts'
import { removeDocuments } from './write-documents.ts'

export const erasure = [
  post(
    erasurePath,
    {
      summary: 'Erase the documents of a user or of a matter',
      description:
        'Erases documents and attached files whose metadata names the user (`user_id`) or the matter (`matter_id`), in the bases of the organization.',
      guard: organization,
      body: Request,
      responses: { 200: ErasureResponse },
    },
    async (c, { body }) => {
      const tenant = c.var.caller.organizationId!
      const erased = await eraseInTransaction(c.env.sql, body.dry_run, (sql) =>
        erase(c.env, sql, tenant, body),
      )
      return ok(c, { erased })
    },
  ),
]

const BaseNo = z.object({ no: z.int() })

async function erase(context: Deps, sql: Sql, tenant: string, body: ErasureRequest) {
  const matters = fragment`metadata ->> 'matter_id' = any(${textArray(requestedMatterIds(body))})`
  const subject =
    body.user_id === undefined
      ? matters
      : fragment`(metadata ->> 'user_id' = ${body.user_id} or ${matters})`
  const erased = { documents: 0, chunks: 0, files: 0 }
  const bases = await sql.rows(BaseNo)`
    select no from knowledge.bases base where organization_id = ${tenant} and (
      exists (select from knowledge.documents document where document.base = base.no and ${subject})
      or exists (select from knowledge.files file where file.base = base.no and ${subject}))
    order by shard, no`
  for (const base of bases) {
    const files = await sql`
      delete from knowledge.files where base = ${base.no} and ${subject} returning file_id`
    const removed = await removeDocuments(context, sql, base, subject)
    erased.documents += removed.documents
    erased.chunks += removed.chunks
    erased.files += files.length
  }
  return erased
}
