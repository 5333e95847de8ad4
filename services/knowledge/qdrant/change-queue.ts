import * as z from 'zod'
import { enqueue } from '../../_kit/jobs.ts'
import { fragment, numberArray, type Sql, type SqlFragment } from '../../_kit/sql/sql.ts'

/** Sequence number that stands for all chunks of a base. */
export const wholeBase = -1

export interface ChunkRef {
  base: number
  seq: number
}

const QueuedChange = z.object({ base: z.int(), seq: z.int(), revision: z.int() })
export type QueuedChange = z.infer<typeof QueuedChange>

/** Enqueues changed chunks for delivery to Qdrant, in the transaction that changed them. */
export async function enqueueChunks(sql: Sql, base: number, seqs: readonly number[]) {
  if (seqs.length === 0) return
  await enqueueWhere(
    sql,
    fragment`select ${base}::int, seq from unnest(${numberArray(seqs, 'int4')}) seq`,
  )
}

/** Enqueues the selected chunks for one collection, or for all that are not retired. */
export async function enqueueWhere(sql: Sql, refs: SqlFragment, collection?: string) {
  const collections =
    collection === undefined
      ? fragment`select collection from knowledge.indexes where retired_at is null`
      : fragment`select ${collection}::text as collection`
  // Sorted, so that two writers lock rows in the same order.
  await sql`
    insert into knowledge.index_changes as existing (collection, base, seq)
    select collection, base, seq from (${collections}) named, (${refs}) ref (base, seq) order by 1, 2, 3
    on conflict (collection, base, seq) do update set revision = nextval('knowledge.index_revisions')`
  await enqueueIndexing(sql)
}

const refArrays = (refs: readonly ChunkRef[]) => fragment`
  ${numberArray(
    refs.map(({ base }) => base),
    'int4',
  )}, ${numberArray(
    refs.map(({ seq }) => seq),
    'int4',
  )}`

export const refsTable = (refs: readonly ChunkRef[]) =>
  fragment`select * from unnest(${refArrays(refs)}) ref (base, seq)`

export const enqueueIndexing = (sql: Sql, delayMs = 0) =>
  enqueue(sql, 'knowledge', { kind: 'index', key: 'index', delayMs })

export const nextBatch = (sql: Sql, collection: string, limit: number) =>
  sql.rows(QueuedChange)`
    select base, seq, revision from knowledge.index_changes where collection = ${collection}
    order by revision limit ${limit}`

const BaseNo = z.object({ no: z.int() })

/** Lets Qdrant serve renumbered bases again whose changes are all delivered. */
export const endCatchUp = (sql: Sql) =>
  sql.transaction(async (sql) => {
    // Locked first, so that a renumbering and its changes are seen together.
    const rows = await sql.rows(BaseNo)`
      select no from knowledge.bases where index_behind order by no for update`
    if (rows.length === 0) return
    await sql`
      update knowledge.bases base set index_behind = false
      where no = any(${numberArray(rows.map(({ no }) => no))})
        and not exists (select from knowledge.index_changes change where change.base = base.no)`
  })

const ChunkRefRow = z.object({ base: z.int(), seq: z.int() })

/** Chunks that are not in a collection's queue. */
export const withoutQueued = (sql: Sql, collection: string, refs: readonly ChunkRef[]) =>
  sql.rows(ChunkRefRow)`
    select ref.base, ref.seq from (${refsTable(refs)}) ref
    where not exists (select from knowledge.index_changes queued where collection = ${collection}
      and queued.base = ref.base and queued.seq = ref.seq)`

/**
 * Removes delivered entries from the queue. An entry whose revision changed during delivery, or that
 * another replica delivered as well, is delivered again: the order of the two is unknown.
 */
export async function acknowledge(
  sql: Sql,
  collection: string,
  delivered: readonly QueuedChange[],
) {
  if (delivered.length === 0) return
  await sql.transaction(async (sql) => {
    const rows = await sql.rows(ChunkRefRow)`
      delete from knowledge.index_changes where collection = ${collection} and (base, seq, revision) in (
        select * from unnest(${refArrays(delivered)}, ${numberArray(delivered.map(({ revision }) => revision))}))
      returning base, seq`
    const acknowledged = new Set(rows.map(({ base, seq }) => `${base} ${seq}`))
    const changedMeanwhile = delivered.filter(
      ({ base, seq }) => !acknowledged.has(`${base} ${seq}`),
    )
    if (changedMeanwhile.length > 0)
      await enqueueWhere(sql, refsTable(changedMeanwhile), collection)
  })
}
