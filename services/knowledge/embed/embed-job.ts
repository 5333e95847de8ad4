import * as z from 'zod'
import { enqueue, type JobContext } from '../../_kit/jobs.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import { fragment, type Sql, textArray } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { enqueueWhere } from '../qdrant/change-queue.ts'
import { batchSize } from './embedder.ts'
import { createVectorIndex } from './pgvector.ts'
import { callerSuppliedModel, saveVectors } from './vectors.ts'

const Payload = z.object({ base: z.int(), model: z.string() })
const Unembedded = z.object({ hash: z.string(), content: z.string() })

/** Asks for the vectors of a base's chunks, some time; in the caller's transaction. */
export const enqueueEmbedding = (sql: Sql, base: number, model: string) =>
  enqueue(sql, 'knowledge', { kind: 'embed', payload: { base, model }, key: `${base} ${model}` })

const Base = z.object({ base: z.int() })

/** Sees that no content is left without its vector: the API was away for long, or the model is new. */
export async function enqueueMissingEmbeddings(
  context: Pick<ServiceContext<Deps>, 'sql' | 'embedder' | 'kit'>,
) {
  const { sql, embedder } = context
  await ensureVectorIndex(context, embedder?.model ?? callerSuppliedModel)
  if (!embedder) return
  const { model } = embedder
  const unembedded = await sql.rows(Base)`
    select distinct base from knowledge.chunks chunk where not exists (
      select from knowledge.embeddings e where e.model = ${model} and e.hash = chunk.hash)`
  for (const { base } of unembedded) await enqueueEmbedding(sql, base, model)
}

/** Gives every content of a base its vector; what has one is not asked for again. */
export async function embedBase(context: ServiceContext<Deps>, payload: unknown, job: JobContext) {
  const { sql, embedder, qdrant: engine } = context
  const { base, model } = Payload.parse(payload)
  // While replicas are replaced one by one another may have the model: it is left to that one.
  if (embedder?.model !== model) throw new Error(`${model} is not the embedding model here`)
  let after = ''
  for (;;) {
    job.signal.throwIfAborted()
    const unembedded = await readUnembedded(sql, base, model, after)
    if (unembedded.length === 0) return
    const vectors = await embedder.embedTexts(unembedded.map(({ content }) => content))
    const embedded = unembedded.map(({ hash }, index) => ({ hash, vector: vectors[index] ?? null }))
    await sql.transaction(async (sql) => {
      await saveVectors(sql, model, embedded)
      if (!engine) return
      const hashes = textArray(unembedded.map(({ hash }) => hash))
      await enqueueWhere(
        sql,
        fragment`select base, seq from knowledge.chunks where hash = any(${hashes})`,
      )
    })
    // From the first vectors on: over few an index is made in no time.
    if (after === '') await ensureVectorIndex(context, model)
    after = unembedded.at(-1)!.hash
  }
}

const Dims = z.object({ dims: z.int() })

/** Sees that the vectors of a model can be found by an index. */
async function ensureVectorIndex(
  { sql, kit }: Pick<ServiceContext<Deps>, 'sql' | 'kit'>,
  model: string,
): Promise<void> {
  const row = await sql.row(Dims)`
    select dims from knowledge.embeddings where model = ${model} limit 1`
  if (row) await createVectorIndex(sql, row.dims, kit.log)
}

const readUnembedded = (sql: Sql, base: number, model: string, after: string) =>
  sql.rows(Unembedded)`
    select distinct on (hash) hash, content from knowledge.chunks chunk
    where base = ${base} and hash > ${after} and not exists (
      select from knowledge.embeddings e where e.model = ${model} and e.hash = chunk.hash)
    order by hash limit ${batchSize * 4}`
