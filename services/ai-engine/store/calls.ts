import * as z from 'zod'
import { canonicalJson, sha256Hex } from '../../_kit/hash.ts'
import { json, type Sql } from '../../_kit/sql/sql.ts'
import { type Lease, LeaseLost, leaseHeld } from './lease.ts'

export interface Call {
  kind: 'model' | 'tool'
  skill: string
  /** The model or the tool. */
  name: string
  request: unknown
}

export interface CallResult {
  answer: unknown
  input_tokens?: number
  output_tokens?: number
}

const RecordedCall = z.object({ answer: z.unknown() })
const WrittenRow = z.object({ nth: z.int() })

/**
 * Records the calls of one attempt at a step. A call that an earlier attempt or the parent thread of a
 * branch recorded is not made again; its recorded answer is returned.
 */
export function makeRecorder(
  sql: Sql,
  lease: () => Promise<Lease>,
  flush: () => Promise<void>,
  replayCalls: boolean,
) {
  const occurrences = new Map<string, number>()

  return async function record(
    call: Call,
    perform: () => Promise<CallResult>,
  ): Promise<{ answer: unknown; replayed: boolean }> {
    const hash = await sha256Hex(canonicalJson([call.kind, call.skill, call.name, call.request]))
    const nth = occurrences.get(hash) ?? 0
    occurrences.set(hash, nth + 1)
    const previous = replayCalls ? await readCall(sql, await lease(), hash, nth) : undefined
    if (previous) return { answer: previous.answer, replayed: true }
    const startedAt = performance.now()
    const result = await perform()
    // A recorded answer implies that its text is committed: a replay emits it as one token.
    await flush()
    await writeCall(sql, await lease(), call, hash, nth, result, performance.now() - startedAt)
    return { answer: result.answer, replayed: false }
  }
}
export type RecordCall = ReturnType<typeof makeRecorder>

const readCall = (sql: Sql, { thread_id, branch_of, head }: Lease, hash: string, nth: number) =>
  sql.row(RecordedCall)`
    select answer from ai_engine.calls
    where thread_id = ${thread_id} and step = ${head + 1}::int and hash = ${hash} and nth = ${nth}
      or thread_id = ${branch_of} and hash = ${hash} and nth = ${nth}
    order by thread_id = ${thread_id} desc, abs(step - ${head + 1}::int) limit 1`

async function writeCall(
  sql: Sql,
  lease: Lease,
  call: Call,
  hash: string,
  nth: number,
  { answer, input_tokens = 0, output_tokens = 0 }: CallResult,
  duration_ms: number,
) {
  const written = await sql.row(WrittenRow)`
    with thread as (select * from ai_engine.threads where ${leaseHeld(lease)} for share)
    insert into ai_engine.calls (thread_id, step, hash, nth, run_id, organization_id, user_id, skill,
      kind, name, answer, input_tokens, output_tokens, duration_ms)
    select thread_id, head + 1, ${hash}::text, ${nth}::int, run_id, organization_id, user_id,
      ${call.skill}::text, ${call.kind}::text, ${call.name}::text, ${json(answer)},
      ${input_tokens}::int, ${output_tokens}::int, ${duration_ms}::float8
    from thread
    on conflict (thread_id, step, hash, nth) do update set answer = excluded.answer
    returning nth`
  if (!written) throw new LeaseLost(`thread ${lease.thread_id} is run by another`)
}
