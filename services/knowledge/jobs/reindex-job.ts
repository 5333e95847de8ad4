import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import type { JobContext } from '../../_kit/jobs.ts'
import { fragment, numberArray, type Sql, textArray } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { enqueueEmbedding } from '../embed/embed-job.ts'
import { enqueueChunks } from '../qdrant/change-queue.ts'
import { reindexChunks } from '../reindex.ts'
import { enqueueMerge } from '../search/index/merge-job.ts'
import { finishJob, reportProgress } from './job.ts'

const Payload = z.object({
  jobId: z.string(),
  bases: z.array(z.int()),
  fileId: z.string().optional(),
  documentIds: z.array(z.string()).optional(),
})

const DocumentRef = z.object({ base: z.int(), document_id: z.string() })
const batchSize = 100

/** Reindexes documents in small batches, so that writers do not wait long. */
export async function reindexDocuments(
  { sql, embedder, qdrant }: ServiceContext<Deps>,
  payload: unknown,
  job: JobContext,
) {
  const { jobId, ...selection } = Payload.parse(payload)
  const all = await loadDocumentIds(sql, selection)
  for (const base of new Set(all.map(({ base }) => base))) {
    const own = all.filter((each) => each.base === base)
    for (let at = 0; at < own.length; at += batchSize) {
      job.signal.throwIfAborted()
      const batch = own.slice(at, at + batchSize).map(({ document_id }) => document_id)
      const done = all.indexOf(own[at]!)
      if (!(await reportProgress(sql, jobId, done, all.length))) return
      await sql.transaction(async (sql) => {
        const changed = await reindexChunks(sql, base, batch)
        if (qdrant) await enqueueChunks(sql, base, changed)
      })
    }
    await sql.transaction(async (sql) => {
      await enqueueMerge(sql, base)
      if (embedder) await enqueueEmbedding(sql, base, embedder.model)
    })
  }
  await reportProgress(sql, jobId, all.length, all.length)
  await finishJob(sql, jobId)
}

const loadDocumentIds = (
  sql: Sql,
  { bases, fileId, documentIds }: Omit<z.output<typeof Payload>, 'jobId'>,
) => sql.rows(DocumentRef)`
  select base, document_id from knowledge.documents
  where base = any(${numberArray(bases, 'int4')})
    ${fileId === undefined ? fragment`` : fragment` and file_id = ${fileId}`}
    ${documentIds === undefined ? fragment`` : fragment` and document_id = any(${textArray(documentIds)})`}
  order by base, document_id`
