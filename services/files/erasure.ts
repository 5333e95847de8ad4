import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import {
  type ErasureRequest,
  ErasureResponse,
  eraseInTransaction,
  erasurePath,
  ErasureRequest as Request,
} from '../_kit/erasure.ts'
import { organization } from '../_kit/identity.ts'
import { fragment, type Sql, textArray } from '../_kit/sql/sql.ts'
import { post } from './deps.ts'
import { releaseObject, removeObjects } from './orphans.ts'

export const erasure = [
  post(
    erasurePath,
    {
      summary: 'Erase the files of a user or of a matter',
      description:
        'Erases the files and pending uploads of the user, and the files in `file_ids`, with their bytes and text.',
      guard: organization,
      body: Request,
      responses: { 200: ErasureResponse },
    },
    async (c, { body }) => {
      const org = c.var.caller.organizationId!
      const { erased, keys } = await eraseInTransaction(c.env.sql, body.dry_run, (sql) =>
        erase(sql, org, body),
      )
      // The sweep removes the bytes that cannot be removed now.
      if (!body.dry_run) await removeObjects(c.env, keys)
      return ok(c, { erased })
    },
  ),
]

const StoredObject = z.object({ storage_key: z.string() })

async function erase(sql: Sql, org: string, { user_id, file_ids }: ErasureRequest) {
  const listed = fragment`file_id::text = any(${textArray(file_ids)})`
  const owner = user_id === undefined ? fragment`false` : fragment`owner = ${user_id}`
  const files = await sql.rows(StoredObject)`
    delete from files.files where organization_id = ${org} and (${owner} or ${listed})
    returning storage_key`
  for (const { storage_key } of files) await releaseObject(sql, storage_key)
  const uploads = await sql`
    delete from files.uploads where organization_id = ${org} and ${owner} returning file_id`
  return {
    erased: { files: files.length, uploads: uploads.length },
    keys: files.map(({ storage_key }) => storage_key),
  }
}
