import * as z from 'zod'
import { newId } from '../../_kit/ids.ts'
import { rowSource } from '../../_kit/sql/row-source.ts'
import {
  fragment,
  join,
  json,
  numberArray,
  type Sql,
  type SqlFragment,
  textArray,
} from '../../_kit/sql/sql.ts'
import { storableJson } from '../../_kit/storable.ts'
import type { Card } from '../card.ts'
import { type CallRow, insertCalls } from './calls.ts'
import type { Delta } from './delta.ts'
import type { Effect } from './effect.ts'
import { type Lease, LeaseLost, leaseHeld, leaseUntil } from './lease.ts'

export interface Span {
  step: number
  span_id: string
  parent_id: string | null
  name: string
  kind: 'node' | 'skill' | 'model' | 'tool' | 'sync'
  started_at: string
  duration_ms: number
  status: 'ok' | 'error'
  attributes: Record<string, unknown>
  error: string | null
}

export interface RunEvent {
  seq: number
  line: string
}

export interface End {
  status: 'completed' | 'interrupted' | 'failed'
  output: string
  result: unknown
  error: { code: string; message: string } | null
  skills: string[]
  /** Version of the last skill that ran; null if none ran. */
  skill_version: string | null
  card: NewCard | null
}

export interface NewCard {
  card: Card
  skill: string
  skippable: boolean
  basis: unknown
  hash: string
}

export interface Step {
  node: string
  /** Null if the run ends here. */
  next: string | null
  delta: Delta
  /** Version of the skill that the step ran. */
  skill_version?: string | undefined
}

/** Everything that a step and the pure steps after it commit. */
export interface StepCommit {
  steps: Step[]
  state: unknown
  lines: RunEvent[]
  /** Number of the last event, in `lines` or before. */
  seq: number
  spans: Span[]
  /** Finished calls that are not committed yet. */
  calls: CallRow[]
  /** First events and finished calls of the step after it. */
  following: { lines: RunEvent[]; calls: CallRow[] }
  /** Writes to other services. */
  effects: Effect[]
  /** Keys of delivered and refused outbox rows. */
  delivered: string[]
  refused: { sync_key: string; error: string }[]
  end: End | null
}

const HeadRow = z.object({ cancel_code: z.string().nullable() })

/**
 * Commits a step in one statement, on condition that the lease is held and the thread has not moved.
 * `after` is the lease after the step. Returns whether the run was cancelled meanwhile.
 */
export async function commit(
  sql: Sql,
  lease: Lease,
  after: ReturnType<typeof advance>,
  stepCommit: StepCommit,
): Promise<{ cancel_code: string | null }> {
  const { end, following } = stepCommit
  const lines = [...stepCommit.lines, ...following.lines]
  const clauses = [
    insertCheckpoints(lease, after, stepCommit.steps),
    ...(lines.length > 0 ? [insertEvents(lease, lines)] : []),
    ...(stepCommit.spans.length > 0 ? [insertSpans(lease, stepCommit.spans)] : []),
    ...(stepCommit.calls.length > 0 ? [insertCalls(lease, stepCommit.calls, fragment`head`)] : []),
    ...(following.calls.length > 0
      ? [insertCalls(after, following.calls, fragment`head`, 'following_calls')]
      : []),
    ...(stepCommit.effects.length > 0 ? [insertOutbox(lease, stepCommit.effects)] : []),
    ...(stepCommit.delivered.length > 0 ? [markDelivered(stepCommit.delivered)] : []),
    ...(stepCommit.refused.length > 0 ? [markRefused(stepCommit.refused)] : []),
    ...(end ? [endRun(lease, end)] : []),
    ...(end?.card ? [insertCard(lease, end.card)] : []),
  ]
  const head = await sql.row(HeadRow)`
    with head as (${updateThread(lease, after, end)})${join(clauses)}
    select cancel_code from head`
  if (!head) throw new LeaseLost(`thread ${lease.thread_id} is run by another process`)
  return head
}

/**
 * Computes the lease after a step. A snapshot is written when the deltas since the last one are as large
 * as it was: loading a state costs at most twice its size.
 */
export function advance(
  lease: Lease,
  { steps, state, seq }: StepCommit,
): Lease & { snapshot: string | null } {
  const size = JSON.stringify(steps.map(({ delta }) => delta)).length
  const deltaBytes = lease.delta_bytes + size
  const snapshot =
    deltaBytes >= Math.max(lease.base_bytes, minSnapshotBytes) ? storableJson(state) : null
  const head = lease.head + steps.length
  const next = steps.at(-1)!.next ?? ''
  return snapshot === null
    ? { ...lease, head, next, seq, delta_bytes: deltaBytes, claims: 0, snapshot }
    : {
        ...lease,
        head,
        next,
        seq,
        base: head,
        base_bytes: snapshot.length,
        delta_bytes: 0,
        claims: 0,
        snapshot,
      }
}
const minSnapshotBytes = 8_192

/** Status of a thread after a step. */
export const statusAfter = (end: End | null) =>
  end === null ? 'running' : end.card ? 'interrupted' : 'idle'

const updateThread = (lease: Lease, after: Lease, end: End | null): SqlFragment => fragment`
  update ai_engine.threads set head = ${after.head}, next = ${after.next}, seq = ${after.seq},
    base = ${after.base}, base_bytes = ${after.base_bytes}, delta_bytes = ${after.delta_bytes},
    claims = 0, status = ${statusAfter(end)}, card_id = ${end?.card?.card.card_id ?? null},
    lease_until = ${leaseUntil()}, updated_at = now()
  where ${leaseHeld(lease)} and head = ${lease.head} ${unlessCancelled(end)} returning cancel_code`

/** A run that was cancelled before its end is committed must end as cancelled. */
export const mustNotBeCancelled = (end: End | null) => end !== null && end.status !== 'failed'

const unlessCancelled = (end: End | null): SqlFragment =>
  mustNotBeCancelled(end) ? fragment`and cancel_code is null` : fragment``

function insertCheckpoints(
  lease: Lease,
  after: ReturnType<typeof advance>,
  steps: Step[],
): SqlFragment {
  const rows = checkpointRows(lease, steps)
  return fragment`,
    checkpoints as (
      insert into ai_engine.checkpoints (thread_id, step, checkpoint_id, run_id, node, next, delta,
        skill_version, snapshot)
      select ${lease.thread_id}::text, step, checkpoint_id, ${lease.run_id}::uuid, node, next, delta,
        skill_version, case when step = ${after.head}::int then ${after.snapshot}::text::jsonb end
      from head, ${rowSource('made', checkpointColumns, rows)})`
}

export const checkpointRows = (lease: Lease, steps: Step[]) =>
  steps.map(({ skill_version, ...step }, index) => ({
    ...step,
    skill_version,
    step: lease.head + 1 + index,
    checkpoint_id: newId(),
  }))

export const checkpointColumns = {
  step: 'int',
  checkpoint_id: 'uuid',
  node: 'text',
  next: 'text',
  delta: 'jsonb',
  skill_version: 'text',
} as const

const insertEvents = (lease: Lease, lines: RunEvent[]): SqlFragment => fragment`,
  events as (
    insert into ai_engine.events (run_id, seq, line)
    select ${lease.run_id}::uuid, made.seq, made.line from head, ${unnestEvents(lines)} made (seq, line))`

const unnestEvents = (lines: RunEvent[]): SqlFragment => fragment`
  unnest(${numberArray(
    lines.map(({ seq }) => seq),
    'int4',
  )}, ${textArray(lines.map(({ line }) => line))})`

const insertSpans = ({ trace_id }: Lease, list: Span[]): SqlFragment => fragment`,
  spans as (
    insert into ai_engine.spans (trace_id, span_id, parent_id, step, name, kind, started_at,
      duration_ms, status, attributes, error)
    select ${trace_id}::uuid, span_id, parent_id, step, name, kind, started_at, duration_ms,
      status, attributes, error
    from head, ${rowSource('span', spanColumns, list)})`

export const spanColumns = {
  step: 'int',
  span_id: 'uuid',
  parent_id: 'uuid',
  name: 'text',
  kind: 'text',
  started_at: 'timestamptz',
  duration_ms: 'float8',
  status: 'text',
  attributes: 'jsonb',
  error: 'text',
} as const

const insertOutbox = (
  { thread_id, run_id, head, ...lease }: Lease,
  effects: Effect[],
): SqlFragment => fragment`,
  outbox as (
    insert into ai_engine.outbox (sync_key, kind, thread_id, step, organization_id, matter_id, body)
    select made.sync_key, made.kind, ${thread_id}::text, ${head + 1}::int, ${lease.organization_id}::text,
      ${lease.matter_id}::text, made.body
    from head, jsonb_to_recordset(${json(
      effects.map((effect, index) => ({ ...effect, sync_key: syncKey(run_id, head + 1, index) })),
    )}) made (sync_key text, kind text, body jsonb))`

const syncKey = (run_id: string, step: number, index: number) =>
  index === 0 ? `${run_id}:${step}` : `${run_id}:${step}:${index}`

const markDelivered = (keys: string[]): SqlFragment => fragment`,
  delivered as (
    update ai_engine.outbox set status = 'DELIVERED' from head where sync_key = any(${textArray(keys)}))`

const markRefused = (refused: StepCommit['refused']): SqlFragment => fragment`,
  refused as (
    update ai_engine.outbox o set status = 'REFUSED', error = made.error, refused_at = now()
    from head, jsonb_to_recordset(${json(refused)}) made (sync_key text, error text)
    where o.sync_key = made.sync_key)`

const endRun = ({ run_id }: Lease, end: End): SqlFragment => fragment`,
  ended as (
    update ai_engine.runs set status = ${end.status}, output = ${end.output},
      result = ${json(end.result)}, card = ${json(end.card?.card ?? null)},
      error = ${json(end.error)}, skills = ${json(end.skills)},
      skill_version = ${end.skill_version}, ended_at = now()
    from head where run_id = ${run_id})`

const insertCard = (
  { thread_id, run_id }: Lease,
  { card, skill, skippable, basis, hash }: NewCard,
): SqlFragment => fragment`,
  cards as (
    insert into ai_engine.cards (card_id, thread_id, run_id, skill, skippable, expires_at, on_expiry,
      remind_at, graph_version, skill_version, card, basis, hash)
    select ${card.card_id}::uuid, ${thread_id}::text, ${run_id}::uuid, ${skill}::text,
      ${skippable}::boolean, ${card.expires_at ?? null}::text::timestamptz, ${card.on_expiry ?? null}::text,
      ${card.reminders?.[0] ?? null}::text::timestamptz,
      ${card.graph_version ?? '1'}::text, ${card.skill_version ?? '1'}::text, ${json(card)}, ${json(basis)}, ${hash}::text from head)`

const HeldRow = z.object({ run_id: z.string() })

/** Commits events and finished calls of a running step, before the events are published. */
export async function appendEvents(
  sql: Sql,
  lease: Lease,
  lines: RunEvent[],
  calls: CallRow[],
): Promise<void> {
  const held = await sql.row(HeldRow)`
    with thread as (
      select run_id from ai_engine.threads where ${leaseHeld(lease)} for share),
    events as (
      insert into ai_engine.events (run_id, seq, line)
      select thread.run_id, made.seq, made.line
      from thread, ${unnestEvents(lines)} made (seq, line))${calls.length > 0 ? insertCalls(lease, calls, fragment`thread`) : fragment``}
    select run_id from thread`
  if (!held) throw new LeaseLost(`thread ${lease.thread_id} is run by another process`)
}
