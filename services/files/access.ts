import * as z from 'zod'
import { notFound } from '../_kit/fault.ts'
import type { Caller } from '../_kit/identity.ts'
import { fragment, type Sql, type SqlFragment } from '../_kit/sql/sql.ts'
import { columns, File } from './file.ts'

/**
 * Which files a person sees: their own, within the organization that the file belongs to if to any; those
 * shared within their organization; a superuser all.
 */
export const visibleToUser = ({ superuser, userId, organizationId }: Caller) =>
  superuser
    ? fragment`true`
    : fragment`(organization_id = ${organizationId ?? null}::text and visibility = 'organization'
        or owner = ${userId!}
          and (organization_id is null or organization_id = ${organizationId ?? null}::text))`

/** Which files another service sees: it is trusted, within the organization that it names. */
export const visibleToService = ({ organizationId }: Caller) =>
  organizationId === undefined ? fragment`true` : fragment`organization_id = ${organizationId}`

/** The file where the condition holds of it; any other is not there. */
export async function loadFile(
  sql: Sql,
  fileId: string,
  condition: SqlFragment,
  lock?: 'lock',
): Promise<File> {
  const file = await sql.row(File)`
    select ${columns} from files.files where file_id = ${fileId} and ${condition}
    ${lock ? fragment`for update` : fragment``}`
  if (!file) throw fileNotFound(fileId)
  return file
}

/** A file with where its bytes are, which no answer says. */
const StoredFile = File.extend({ storageKey: z.string() })
export type StoredFile = z.infer<typeof StoredFile>

export async function loadStoredFile(
  sql: Sql,
  fileId: string,
  condition: SqlFragment,
): Promise<StoredFile> {
  const file = await sql.row(StoredFile)`
    select ${columns}, storage_key as "storageKey" from files.files
    where file_id = ${fileId} and ${condition}`
  if (!file) throw fileNotFound(fileId)
  return file
}

export const fileNotFound = (fileId: string) => notFound(`file ${fileId}`)

/** Beyond seeing a file, changing it is for its owner and for a superuser. */
export const canModify = ({ superuser, userId }: Caller, file: File) =>
  superuser || file.owner === userId
