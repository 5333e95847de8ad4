import * as z from 'zod'
import { canonicalJson, sha256Hex } from '../../_kit/hash.ts'
import { fragment, identifier, json, type Sql, type SqlFragment } from '../../_kit/sql/sql.ts'
import { toStorable } from '../../_kit/storable.ts'
import type { Lease } from './lease.ts'

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
  cached_tokens?: number | undefined
}

const RecordedCall = z.object({ answer: z.unknown() })

/** A finished call, to be committed with the next events or with the step. */
export interface CallRow {
  hash: string
  nth: number
  skill: string
  kind: Call['kind']
  name: string
  boxed: [unknown]
  input_tokens: number
  output_tokens: number
  /** Input tokens that the server had cached; part of `input_tokens`. */
  cached_tokens: number
  duration_ms: number
}

/** Receives finished calls. */
export interface CallSink {
  /** Takes a call. It is committed before any event that is emitted later. */
  addCall(row: CallRow): void
  /** Waits until all events and calls are committed. */
  flush(): Promise<void>
}

/**
 * Records the calls of one attempt at a step. A call that an earlier attempt or the parent thread of a
 * branch recorded is not made again; its recorded response is returned. A finished call is committed in the
 * background, before any event that follows from it.
 */
export function makeRecorder(
  sql: Sql,
  lease: () => Promise<Lease>,
  sink: CallSink,
  replayCalls: boolean,
) {
  const occurrences = new Map<string, number>()

  return async function record(
    call: Call,
    perform: () => Promise<CallResult>,
  ): Promise<{ answer: unknown; replayed: boolean }> {
    // Equal concurrent calls are numbered in the order in which they are made, before anything is awaited.
    const key = canonicalJson([call.kind, call.skill, call.name, call.request])
    const nth = occurrences.get(key) ?? 0
    occurrences.set(key, nth + 1)
    const hashing = sha256Hex(key)
    if (replayCalls) {
      await sink.flush()
      const previous = await readCall(sql, await lease(), await hashing, nth)
      if (previous) return { answer: previous.answer, replayed: true }
    }
    const startedAt = performance.now()
    const result = await perform()
    // A repeated attempt gets the stored response, so this one must use the same.
    const answer = toStorable(result.answer)
    const hash = await hashing
    const { skill, kind, name } = call
    sink.addCall({
      hash,
      nth,
      skill,
      kind,
      name,
      boxed: [answer],
      input_tokens: result.input_tokens ?? 0,
      output_tokens: result.output_tokens ?? 0,
      cached_tokens: result.cached_tokens ?? 0,
      duration_ms: performance.now() - startedAt,
    })
    return { answer, replayed: false }
  }
}
export type RecordCall = ReturnType<typeof makeRecorder>

const readCall = (sql: Sql, { thread_id, branch_of, head }: Lease, hash: string, nth: number) =>
  sql.row(RecordedCall)`
    select answer from ai_engine.calls
    where thread_id = ${thread_id} and step = ${head + 1}::int and hash = ${hash} and nth = ${nth}
      or thread_id = ${branch_of} and hash = ${hash} and nth = ${nth}
    order by thread_id = ${thread_id} desc, abs(step - ${head + 1}::int) limit 1`

/**
 * Clause that inserts calls into the present step of a thread; `source` is a clause with a row if the lease
 * is held. A response is boxed, because a record set turns JSON null into SQL null.
 */
export const insertCalls = (
  { thread_id, head, run_id, organization_id, user_id }: Lease,
  calls: CallRow[],
  source: SqlFragment,
  clause = 'calls',
): SqlFragment => fragment`,
  ${identifier(clause)} as (
    insert into ai_engine.calls (thread_id, step, hash, nth, run_id, organization_id, user_id, skill,
      kind, name, answer, input_tokens, output_tokens, cached_tokens, duration_ms)
    select ${thread_id}::text, ${head + 1}::int, made.hash, made.nth, ${run_id}::uuid,
      ${organization_id}::text, ${user_id}::text, made.skill, made.kind, made.name, made.boxed->0,
      made.input_tokens, made.output_tokens, made.cached_tokens, made.duration_ms
    from ${source}, jsonb_to_recordset(${json(calls)}) made (hash text, nth int, skill text, kind text,
      name text, boxed jsonb, input_tokens int, output_tokens int, cached_tokens int,
      duration_ms float8)
    on conflict (thread_id, step, hash, nth) do update set answer = excluded.answer)`
