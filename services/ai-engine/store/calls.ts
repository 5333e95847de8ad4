import * as z from 'zod'
import { canonicalJson, sha256Hex } from '../../_kit/hash.ts'
import { json, type Sql } from '../../_kit/sql/sql.ts'
import { held, type Lease, LeaseLost } from './lease.ts'

export interface Call {
  kind: 'model' | 'tool'
  skill: string
  /** The model or the tool. */
  name: string
  request: unknown
}

export interface Performed {
  answer: unknown
  input_tokens?: number
  output_tokens?: number
}

const Kept = z.object({ answer: z.unknown() })
const Wrote = z.object({ nth: z.int() })

/**
 * Calls of one attempt at a step. One that was recorded, by an attempt that died or by the thread that
 * this one branched from, is not made again: its answer is read.
 */
export function makeRecorder(
  sql: Sql,
  lease: () => Lease,
  settled: () => Promise<void>,
  readable: boolean,
) {
  const times = new Map<string, number>()

  return async function recorded(
    call: Call,
    perform: () => Promise<Performed>,
  ): Promise<{ answer: unknown; read: boolean }> {
    const hash = await sha256Hex(canonicalJson([call.kind, call.skill, call.name, call.request]))
    const nth = times.get(hash) ?? 0
    times.set(hash, nth + 1)
    const kept = readable ? await read(sql, lease(), hash, nth) : undefined
    if (kept) return { answer: kept.answer, read: true }
    const began = performance.now()
    const performed = await perform()
    // Whoever reads this answer must know that its words have been told.
    await settled()
    await write(sql, lease(), call, hash, nth, performed, performance.now() - began)
    return { answer: performed.answer, read: false }
  }
}
export type Recorded = ReturnType<typeof makeRecorder>

const read = (sql: Sql, { thread_id, branch_of, head }: Lease, hash: string, nth: number) =>
  sql.row(Kept)`
    select answer from ai_engine.calls
    where thread_id = ${thread_id} and step = ${head + 1}::int and hash = ${hash} and nth = ${nth}
      or thread_id = ${branch_of} and hash = ${hash} and nth = ${nth}
    order by thread_id = ${thread_id} desc, abs(step - ${head + 1}::int) limit 1`

async function write(
  sql: Sql,
  lease: Lease,
  call: Call,
  hash: string,
  nth: number,
  { answer, input_tokens = 0, output_tokens = 0 }: Performed,
  duration_ms: number,
) {
  const wrote = await sql.row(Wrote)`
    with thread as (select * from ai_engine.threads where ${held(lease)} for share)
    insert into ai_engine.calls (thread_id, step, hash, nth, run_id, organization_id, user_id, skill,
      kind, name, answer, input_tokens, output_tokens, duration_ms)
    select thread_id, head + 1, ${hash}::text, ${nth}::int, run_id, organization_id, user_id,
      ${call.skill}::text, ${call.kind}::text, ${call.name}::text, ${json(answer)},
      ${input_tokens}::int, ${output_tokens}::int, ${duration_ms}::float8
    from thread
    on conflict (thread_id, step, hash, nth) do update set answer = excluded.answer
    returning nth`
  if (!wrote) throw new LeaseLost(`thread ${lease.thread_id} is run by another`)
}
