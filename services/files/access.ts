import * as z from 'zod'
import { notFound } from '../_kit/fault.ts'
import type { Caller } from '../_kit/identity.ts'
import { fragment, type Sql, type SqlFragment } from '../_kit/sql/sql.ts'
import { columns, File } from './file.ts'

/**
 * Condition for files that a user may read: own files, within the file's organization if it has one, and
 * files shared within the user's organization. A superuser reads all files.
 */
export const visibleToUser = ({ superuser, userId, organizationId }: Caller) =>
  superuser
    ? fragment`true`
    : fragment`(organization_id = ${organizationId ?? null}::text and visibility = 'organization'
        or owner = ${userId!}
          and (organization_id is null or organization_id = ${organizationId ?? null}::text))`

/**
 * Condition for files that a service caller may read: all files of the organization in its headers, or all
 * files without one.
 */
export const visibleToService = ({ organizationId }: Caller) =>
  organizationId === undefined ? fragment`true` : fragment`organization_id = ${organizationId}`

/** Loads a file that matches the condition. Throws NOT_FOUND otherwise. */
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

/** A file with its storage key. No response contains the key. */
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

/** True for the owner of the file and for a superuser. */
export const canModify = ({ superuser, userId }: Caller, file: File) =>
  superuser || file.owner === userId
