import * as z from 'zod'
import { Id, Time } from '../_kit/fields.ts'
import { enqueue } from '../_kit/jobs.ts'
import { fragment, type Sql } from '../_kit/sql/sql.ts'

export const Visibility = z.enum(['private', 'organization'])
export const ParseStatus = z.enum([
  'NONE',
  'PENDING',
  'PROCESSING',
  'SUCCEEDED',
  'FAILED',
  'UNSUPPORTED',
])
export const Purpose = z.string().min(1).max(100)
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'SHA-256 in lower-case hex')

export const File = z
  .object({
    fileId: Id,
    owner: z.string(),
    organizationId: z.string().nullable(),
    visibility: Visibility,
    purpose: z.string().nullable(),
    filename: z.string(),
    contentType: z
      .string()
      .describe('Detected from the first bytes. The content type sent by the client is ignored.'),
    size: z.int(),
    sha256: Sha256,
    parseStatus: ParseStatus,
    parseError: z.string().nullable().describe('Reason of the parse failure.'),
    createdAt: Time,
    updatedAt: Time,
  })
  .meta({ id: 'File' })
export type File = z.infer<typeof File>

export const columns = fragment`
  file_id as "fileId", owner, organization_id as "organizationId", visibility, purpose, filename,
  content_type as "contentType", size, sha256, parse_status as "parseStatus",
  parse_error as "parseError", created_at as "createdAt", updated_at as "updatedAt"`

export const ById = z.object({ fileId: Id })

/** Path segment of 36 characters. Literal segments at the same position are shorter. */
export const idSegment = ':fileId{[^/]{36}}'

export interface NewFile {
  fileId: string
  organizationId: string | null
  owner: string
  visibility: z.infer<typeof Visibility>
  purpose: string | null
  filename: string
  contentType: string
  size: number
  sha256: string
  storageKey: string
  parse: boolean
}

/** Inserts the file and, if requested, its parse job. */
export async function insertFile(sql: Sql, file: NewFile): Promise<File> {
  const status = file.parse ? 'PENDING' : 'NONE'
  const inserted = await sql.row(File)`
    insert into files.files (file_id, organization_id, owner, visibility, purpose, filename,
      content_type, size, sha256, storage_key, parse_status)
    values (${file.fileId}, ${file.organizationId}, ${file.owner}, ${file.visibility},
      ${file.purpose}, ${file.filename}, ${file.contentType}, ${file.size}, ${file.sha256},
      ${file.storageKey}, ${status})
    returning ${columns}`
  if (file.parse) await enqueueParse(sql, file.fileId, 0)
  return inserted!
}

export const enqueueParse = (sql: Sql, fileId: string, attempt: number) =>
  enqueue(sql, 'files', {
    kind: 'parse',
    key: `${fileId} ${attempt}`,
    payload: { fileId, attempt },
  })

/**
 * Returns the last path segment without control characters, at most 255 characters. Default: `file`.
 */
export function displayName(filename: string | undefined): string {
  const last = (filename ?? '').split(/[/\\]/).at(-1)!
  const cleaned = last
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .trim()
  return [...cleaned].slice(0, 255).join('') || 'file'
}
