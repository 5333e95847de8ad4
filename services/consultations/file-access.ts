import * as z from 'zod'
import { Fault, notFound } from '../_kit/fault.ts'
import type { Client } from '../_kit/peer.ts'
import { inBatches } from './in-batches.ts'

const FileId = z.object({ fileId: z.string() })

/**
 * Checks that the person in the headers may read every file: 404 NOT_FOUND otherwise. Nothing may be stored or run
 * before. If files-service does not respond: 503 UPSTREAM_UNAVAILABLE.
 */
export async function assertReadable(
  files: Client,
  file_ids: readonly string[],
  headers: Record<string, string>,
): Promise<void> {
  await inBatches([...new Set(file_ids)], async (id) => {
    try {
      await files.request(FileId, `/api/v1/files/${encodeURIComponent(id)}`, { headers })
    } catch (thrown) {
      throw asUpstreamFault(thrown, id)
    }
  })
}

function asUpstreamFault(thrown: unknown, id: string): unknown {
  if (!(thrown instanceof Fault)) return thrown
  if (thrown.status < 500 && thrown.status !== 401) return notFound(`file ${id}`)
  return new Fault('UPSTREAM_UNAVAILABLE', 'files-service does not respond. Try again later.', {
    cause: thrown,
  })
}
