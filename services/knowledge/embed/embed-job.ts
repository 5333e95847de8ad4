import * as z from 'zod'
import type { ServiceContext } from '../../_kit/context.ts'
import { enqueue, type JobContext } from '../../_kit/jobs.ts'
import { fragment, type Sql, textArray } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { enqueueWhere } from '../qdrant/change-queue.ts'
import { batchSize } from './embedder.ts'
import { createVectorIndex } from './pgvector.ts'
import { callerSuppliedModel, saveVectors } from './vectors.ts'

const Payload = z.object({ base: z.int(), model: z.string() })
const Unembedded = z.object({ hash: z.string(), content: z.string() })

/** Enqueues the embedding of a base, in the caller's transaction. */
export const enqueueEmbedding = (sql: Sql, base: number, model: string) =>
  enqueue(sql, 'knowledge', { kind: 'embed', payload: { base, model }, key: `${base} ${model}` })

const Base = z.object({ base: z.int() })

/** Enqueues bases with missing vectors, after an outage of the API or a change of the model. */
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

/** Embeds the contents of a base that have no vector yet. */
export async function embedBase(context: ServiceContext<Deps>, payload: unknown, job: JobContext) {
  const { sql, embedder, qdrant } = context
  const { base, model } = Payload.parse(payload)
  // During a rollout another replica may have this model; it will take the job.
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
      if (!qdrant) return
      const hashes = textArray(unembedded.map(({ hash }) => hash))
      await enqueueWhere(
        sql,
        fragment`select base, seq from knowledge.chunks where hash = any(${hashes})`,
      )
    })
    // Creates the index after the first batch, while it is still fast.
    if (after === '') await ensureVectorIndex(context, model)
    after = unembedded.at(-1)!.hash
  }
}

const Dims = z.object({ dims: z.int() })

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
