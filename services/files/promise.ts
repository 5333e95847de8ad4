import * as z from 'zod'
import { Id } from '../_kit/fields.ts'
import type { Caller } from '../_kit/identity.ts'
import { fragment, json, type Sql } from '../_kit/sql/sql.ts'
import { noFile } from './access.ts'
import { Purpose, Sha256, Visibility } from './file.ts'
import { expectBytes } from './unowned.ts'

/** What was said of a file that is to come. */
export const Promised = z.object({
  filename: z.string(),
  size: z.int(),
  sha256: Sha256.nullable(),
  purpose: Purpose.nullable(),
  visibility: Visibility,
  parse: z.boolean(),
})
export type Promised = z.infer<typeof Promised>

const Upload = z.object({
  fileId: Id,
  owner: z.string(),
  organizationId: z.string().nullable(),
  promised: Promised,
})
export type Upload = z.infer<typeof Upload>

/** Where bytes wait until they were found to be what was promised. */
export const waitingKey = (fileId: string) => `incoming/${fileId}`

export async function insertUpload(sql: Sql, { fileId, owner, organizationId, promised }: Upload) {
  await expectBytes(sql, waitingKey(fileId))
  await sql`
    insert into files.uploads (file_id, organization_id, owner, promised, expires_at)
    values (${fileId}, ${organizationId}, ${owner}, ${json(promised)}, now() + interval '1 day')`
}

/** The upload that was promised; a person sees their own, a superuser all. */
export async function findUpload(
  sql: Sql,
  fileId: string,
  caller?: Caller,
): Promise<Upload | undefined> {
  const mine =
    caller && !caller.superuser
      ? fragment`and owner = ${caller.userId!}
          and organization_id is not distinct from ${caller.organizationId ?? null}::text`
      : fragment``
  return sql.row(Upload)`
    select file_id as "fileId", owner, organization_id as "organizationId", promised
    from files.uploads where file_id = ${fileId} and expires_at > now() ${mine}`
}

export async function uploadById(sql: Sql, fileId: string): Promise<Upload> {
  const upload = await findUpload(sql, fileId)
  if (!upload) throw noFile(fileId)
  return upload
}
