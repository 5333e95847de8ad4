import * as z from 'zod'
import type { ServiceContext } from '../_kit/context.ts'
import { fragment, textArray } from '../_kit/sql/sql.ts'
import type { BaseRow } from './base.ts'
import type { Deps } from './deps.ts'
import { lockBaseIfExists } from './lock-base.ts'
import { enqueueChunks, wholeBase } from './qdrant/change-queue.ts'
import { enqueueShardMerge } from './search/index/merge-job.ts'
import { leaveShard } from './shards/move-base.ts'
import { removeDocuments } from './write-documents.ts'

/** Chunks up to which a base is deleted by one statement. */
const maxChunksAtOnce = 10_000
const documentsPerBatch = 50
/** Parts into which the range of term ids is divided. */
const postingBatches = 64

const DocumentId = z.object({ document_id: z.string() })

/**
 * Deletes a base and its content. A large base is emptied in batches first, so that no statement exceeds its
 * time-out and no lock is held for long. An interrupted deletion leaves the rest, which can be deleted again.
 * The postings in a shared shard cannot be found any more from then on; the merge job drops them.
 */
export async function deleteBase(context: ServiceContext<Deps>, base: BaseRow): Promise<void> {
  const { sql, qdrant } = context
  if (base.chunks > maxChunksAtOnce) await deleteContent(context, base)
  await sql.transaction(async (sql) => {
    const locked = await lockBaseIfExists(sql, base.no)
    if (!locked) return
    await sql`delete from knowledge.bases where no = ${base.no}`
    if (qdrant) await enqueueChunks(sql, base.no, [wholeBase])
    const { shard } = locked
    if (shard && (await leaveShard(sql, shard.no, true))) await enqueueShardMerge(sql, shard.no)
  })
}

async function deleteContent(context: ServiceContext<Deps>, base: BaseRow) {
  const { sql } = context
  for (;;) {
    const rows = await sql.rows(DocumentId)`
      select document_id from knowledge.documents where base = ${base.no} limit ${documentsPerBatch}`
    if (rows.length === 0) break
    const ids = textArray(rows.map(({ document_id }) => document_id))
    await sql.transaction((sql) =>
      removeDocuments(context, sql, base, fragment`document_id = any(${ids})`),
    )
  }
  for (let batch = 0; batch < postingBatches; batch++) {
    const first = (2 ** 32 / postingBatches) * batch - 2 ** 31
    const last = first + 2 ** 32 / postingBatches - 1
    await sql.transaction(async (sql) => {
      const shard = (await lockBaseIfExists(sql, base.no))?.shard
      if (!shard || shard.shared) return
      await sql`
        delete from knowledge.postings
        where shard = ${shard.no} and term between ${first} and ${last}`
    })
  }
}
