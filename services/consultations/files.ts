import * as z from 'zod'
import { Fault } from '../_kit/fault.ts'
import type { Client } from '../_kit/peer.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import { inBatches } from './in-batches.ts'
import type { Session } from './session.ts'

export const SessionFile = z.object({
  fileId: z.string(),
  name: z.string(),
  parseStatus: z.string(),
  excerpt: z.string().nullable().describe('First 500 characters of the parsed text, or null.'),
})

const File = z.object({ fileId: z.string(), filename: z.string(), parseStatus: z.string() })
const Text = z.object({ text: z.string() })
const AttachmentRow = z.object({ file_ids: z.array(z.string()) })

const limits = { files: 200, characters: 500 }

/** Loads the newest files of a session and its messages. Deleted files are left out. */
export async function loadSessionFiles(
  sql: Sql,
  files: Client,
  session: Session,
  headers: Record<string, string>,
): Promise<z.infer<typeof SessionFile>[]> {
  const attachments = await sql.rows(AttachmentRow)`
    select file_ids from consultations.attachments
    where session_id = ${session.id} order by created_at, message_id`
  const ids = new Set([...session.file_ids, ...attachments.flatMap(({ file_ids }) => file_ids)])
  const loaded = await inBatches([...ids].slice(-limits.files), (id) =>
    loadFile(files, id, headers).catch((thrown) => {
      if (thrown instanceof Fault && thrown.status === 404) return []
      throw thrown
    }),
  )
  return loaded.flat()
}

async function loadFile(files: Client, id: string, headers: Record<string, string>) {
  const path = `/api/v1/internal/files/${encodeURIComponent(id)}`
  const { fileId, filename, parseStatus } = await files.request(File, path, { headers })
  const parsed =
    parseStatus === 'SUCCEEDED'
      ? await files.request(Text, `${path}/text`, { headers }).catch(() => null)
      : null
  const excerpt = parsed?.text.slice(0, limits.characters) ?? null
  return { fileId, name: filename, parseStatus, excerpt }
}
