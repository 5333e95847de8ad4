import * as z from 'zod'
import { Id } from '../_kit/fields.ts'
import type { Caller } from '../_kit/identity.ts'
import { fragment, json, type Sql } from '../_kit/sql/sql.ts'
import { fileNotFound } from './access.ts'
import { Purpose, Sha256, Visibility } from './file.ts'
import { registerObject } from './orphans.ts'

/** Properties of a file that the client declares before uploading its bytes. */
export const DeclaredFile = z.object({
  filename: z.string(),
  size: z.int(),
  sha256: Sha256.nullable(),
  purpose: Purpose.nullable(),
  visibility: Visibility,
  parse: z.boolean(),
})
export type DeclaredFile = z.infer<typeof DeclaredFile>

const PendingUpload = z.object({
  fileId: Id,
  owner: z.string(),
  organizationId: z.string().nullable(),
  declared: DeclaredFile,
})
export type PendingUpload = z.infer<typeof PendingUpload>

/** Storage key of uploaded bytes before `complete` has verified them. */
export const stagingKey = (fileId: string) => `incoming/${fileId}`

export async function insertUpload(
  sql: Sql,
  { fileId, owner, organizationId, declared }: PendingUpload,
) {
  await registerObject(sql, stagingKey(fileId))
  await sql`
    insert into files.uploads (file_id, organization_id, owner, declared, expires_at)
    values (${fileId}, ${organizationId}, ${owner}, ${json(declared)}, now() + interval '1 day')`
}

/** Finds a pending upload. A user finds only own uploads, a superuser all. */
export async function findUpload(
  sql: Sql,
  fileId: string,
  caller?: Caller,
): Promise<PendingUpload | undefined> {
  const ownUploads =
    caller && !caller.superuser
      ? fragment`and owner = ${caller.userId!}
          and organization_id is not distinct from ${caller.organizationId ?? null}::text`
      : fragment``
  return sql.row(PendingUpload)`
    select file_id as "fileId", owner, organization_id as "organizationId", declared
    from files.uploads where file_id = ${fileId} and expires_at > now() ${ownUploads}`
}

export async function loadUpload(sql: Sql, fileId: string): Promise<PendingUpload> {
  const upload = await findUpload(sql, fileId)
  if (!upload) throw fileNotFound(fileId)
  return upload
}
