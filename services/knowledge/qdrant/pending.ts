import * as z from 'zod'
import { enqueue } from '../../_kit/jobs.ts'
import { numbers, part, type Sql } from '../../_kit/sql/sql.ts'

/** Stands for all places of a base. */
export const wholeBase = -1

const Pending = z.object({ base: z.int(), seq: z.int(), stamp: z.int() })
export type Pending = z.infer<typeof Pending>

/** Has the engine look at some places again; in the transaction that changed them. */
export async function pend(sql: Sql, base: number, seqs: readonly number[]) {
  if (seqs.length === 0) return
  await pendThose(sql, part`select ${base}::int, seq from unnest(${numbers(seqs, 'int4')}) seq`)
}

export const pendAll = (sql: Sql) => pendThose(sql, part`select base, seq from knowledge.chunks`)

/** In order of place, so that two writers meet in the same order. */
export async function pendThose(sql: Sql, places: ReturnType<typeof part>) {
  await sql`
    insert into knowledge.pending as kept (base, seq)
    select * from (${places}) place (base, seq) order by 1, 2
    on conflict (base, seq) do update set stamp = nextval('knowledge.stamps')`
  await enqueueIndexing(sql)
}

export const enqueueIndexing = (sql: Sql, delayMs = 0) =>
  enqueue(sql, 'knowledge', { kind: 'index', key: 'index', delayMs })

export const pendingSome = (sql: Sql, most: number) =>
  sql.rows(Pending)`
    select base, seq, stamp from knowledge.pending order by stamp limit ${most}`

/** Those that were asked for again meanwhile stay. */
export const settled = (sql: Sql, done: readonly Pending[]) => sql`
  delete from knowledge.pending where (base, seq, stamp) in (
    select * from unnest(${numbers(
      done.map(({ base }) => base),
      'int4',
    )}, ${numbers(
      done.map(({ seq }) => seq),
      'int4',
    )}, ${numbers(done.map(({ stamp }) => stamp))}))`
