import * as z from 'zod'
import { enqueue } from '../../_kit/jobs.ts'
import { fragment, numberArray, type Sql } from '../../_kit/sql/sql.ts'

/** Stands for all places of a base. */
export const wholeBase = -1

export interface Place {
  base: number
  seq: number
}

const Pending = z.object({ base: z.int(), seq: z.int(), stamp: z.int() })
export type Pending = z.infer<typeof Pending>

/** Has the engine look at some places again; in the transaction that changed them. */
export async function pend(sql: Sql, base: number, seqs: readonly number[]) {
  if (seqs.length === 0) return
  await pendThose(
    sql,
    fragment`select ${base}::int, seq from unnest(${numberArray(seqs, 'int4')}) seq`,
  )
}

/** In every collection, or in one. */
export async function pendThose(
  sql: Sql,
  places: ReturnType<typeof fragment>,
  collection?: string,
) {
  const which =
    collection === undefined
      ? fragment`select collection from knowledge.indexes where retired_at is null`
      : fragment`select ${collection}::text as collection`
  // In order, so that two writers meet in the same order.
  await sql`
    insert into knowledge.pending as kept (collection, base, seq)
    select collection, base, seq from (${which}) named, (${places}) place (base, seq) order by 1, 2, 3
    on conflict (collection, base, seq) do update set stamp = nextval('knowledge.stamps')`
  await enqueueIndexing(sql)
}

const columnsOf = (places: readonly Place[]) => fragment`
  ${numberArray(
    places.map(({ base }) => base),
    'int4',
  )}, ${numberArray(
    places.map(({ seq }) => seq),
    'int4',
  )}`

export const placesOf = (places: readonly Place[]) =>
  fragment`select * from unnest(${columnsOf(places)}) place (base, seq)`

export const enqueueIndexing = (sql: Sql, delayMs = 0) =>
  enqueue(sql, 'knowledge', { kind: 'index', key: 'index', delayMs })

export const pendingSome = (sql: Sql, collection: string, most: number) =>
  sql.rows(Pending)`
    select base, seq, stamp from knowledge.pending where collection = ${collection}
    order by stamp limit ${most}`

const Row = z.object({ base: z.int(), seq: z.int() })

/** Those of some places that are not on a collection's list. */
export const notPending = (sql: Sql, collection: string, places: readonly Place[]) =>
  sql.rows(Row)`
    select place.base, place.seq from (${placesOf(places)}) place
    where not exists (select from knowledge.pending kept where collection = ${collection}
      and kept.base = place.base and kept.seq = place.seq)`

/**
 * What was told is pending no more. Where another told the same meanwhile, or it was asked for again,
 * nobody knows whose word came last: it is told once more.
 */
export async function settled(sql: Sql, collection: string, told: readonly Pending[]) {
  if (told.length === 0) return
  await sql.transaction(async (sql) => {
    const rows = await sql.rows(Row)`
      delete from knowledge.pending where collection = ${collection} and (base, seq, stamp) in (
        select * from unnest(${columnsOf(told)}, ${numberArray(told.map(({ stamp }) => stamp))}))
      returning base, seq`
    const ours = new Set(rows.map(({ base, seq }) => `${base} ${seq}`))
    const doubtful = told.filter(({ base, seq }) => !ours.has(`${base} ${seq}`))
    if (doubtful.length > 0) await pendThose(sql, placesOf(doubtful), collection)
  })
}
