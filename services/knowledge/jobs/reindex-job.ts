import * as z from 'zod'
import type { JobContext } from '../../_kit/jobs.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import { fragment, numberArray, type Sql, textArray } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { enqueueEmbedding } from '../embed/embed-job.ts'
import { pend } from '../qdrant/pending.ts'
import { reindex } from '../reindex.ts'
import { enqueueOrdering } from '../search/order-job.ts'
import { finish, progress } from './run.ts'

const Payload = z.object({
  run: z.string(),
  bases: z.array(z.int()),
  fileId: z.string().optional(),
  documentIds: z.array(z.string()).optional(),
})

const Named = z.object({ base: z.int(), document_id: z.string() })
const atOnce = 100

/** The job: documents are taken a few at a time, so that writers get their turn. */
export async function reindexDocuments(
  { sql, embedder, engine }: ServiceContext<Deps>,
  payload: unknown,
  job: JobContext,
) {
  const { run, ...which } = Payload.parse(payload)
  const all = await documentsOf(sql, which)
  for (const base of new Set(all.map(({ base }) => base))) {
    const own = all.filter((each) => each.base === base)
    for (let at = 0; at < own.length; at += atOnce) {
      job.signal.throwIfAborted()
      const some = own.slice(at, at + atOnce).map(({ document_id }) => document_id)
      const done = all.indexOf(own[at]!)
      if (!(await progress(sql, run, done, all.length))) return
      await sql.transaction(async (sql) => {
        const touched = await reindex(sql, base, some)
        if (engine) await pend(sql, base, touched)
      })
    }
    await sql.transaction(async (sql) => {
      await enqueueOrdering(sql, base)
      if (embedder) await enqueueEmbedding(sql, base, embedder.model)
    })
  }
  await progress(sql, run, all.length, all.length)
  await finish(sql, run)
}

const documentsOf = (
  sql: Sql,
  { bases, fileId, documentIds }: Omit<z.output<typeof Payload>, 'run'>,
) => sql.rows(Named)`
  select base, document_id from knowledge.documents
  where base = any(${numberArray(bases, 'int4')})
    ${fileId === undefined ? fragment`` : fragment` and file_id = ${fileId}`}
    ${documentIds === undefined ? fragment`` : fragment` and document_id = any(${textArray(documentIds)})`}
  order by base, document_id`
