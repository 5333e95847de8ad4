import * as z from 'zod'
import { newId } from '../../_kit/ids.ts'
import { fragment, join, json, numberArray, type Sql, textArray } from '../../_kit/sql/sql.ts'
import type { Card } from '../card.ts'
import type { Delta } from './delta.ts'
import { held, type Lease, LeaseLost, leaseUntil } from './lease.ts'

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

export interface Line {
  seq: number
  line: string
}

export interface End {
  status: 'completed' | 'interrupted' | 'failed'
  output: string
  result: unknown
  error: { code: string; message: string } | null
  skills: string[]
  card: NewCard | null
}

export interface NewCard {
  card: Card
  skill: string
  basis: unknown
  hash: string
}

export interface Step {
  node: string
  /** Null when the run ends here. */
  next: string | null
  delta: Delta
}

/** All that a step leaves behind, and those that follow from it without doing anything. */
export interface Write {
  steps: Step[]
  state: unknown
  lines: Line[]
  /** The number of the last event that was told, in these lines or before them. */
  seq: number
  spans: Span[]
  /** What the matter is to be told. */
  products: object | null
  /** Keys of what it has been told by now, and of what it would not take. */
  delivered: string[]
  refused: { sync_key: string; error: string } | null
  end: End | null
}

const Head = z.object({ cancelled: z.boolean() })
type Part = ReturnType<typeof fragment>

/**
 * Writes a step, whole, in one statement, on condition that the thread stands where the step began and
 * is still ours. Returns the lease as it is now.
 */
export async function commit(sql: Sql, lease: Lease, write: Write): Promise<Lease> {
  const { lines, end } = write
  const after = moved(lease, write)
  const parts = [
    checkpoints(lease, after, write.steps),
    ...(lines.length > 0 ? [events(lease, lines)] : []),
    ...(write.spans.length > 0 ? [spans(lease, write.spans)] : []),
    ...(write.products ? [outbox(lease, write.products)] : []),
    ...(write.delivered.length > 0 ? [delivered(write.delivered)] : []),
    ...(write.refused ? [refused(write.refused)] : []),
    ...(end ? [ended(lease, end)] : []),
    ...(end?.card ? [cards(lease, end.card)] : []),
  ]
  const head = await sql.row(Head)`
    with head as (${moving(lease, after, end)})${join(parts)}
    select cancelled from head`
  if (!head) throw new LeaseLost(`thread ${lease.thread_id} has moved on without us`)
  return { ...after, cancelled: head.cancelled }
}

/**
 * A snapshot is written when the deltas since the last one have grown as large as it was: reading a
 * state costs at most twice its size, and all snapshots together no more than all deltas.
 */
function moved(lease: Lease, { steps, state, seq }: Write): Lease & { snapshot: string | null } {
  const size = JSON.stringify(steps.map(({ delta }) => delta)).length
  const grown = lease.delta_bytes + size
  const snapshot = grown >= Math.max(lease.base_bytes, smallest) ? JSON.stringify(state) : null
  const head = lease.head + steps.length
  const next = steps.at(-1)!.next ?? ''
  return snapshot === null
    ? { ...lease, head, next, seq, delta_bytes: grown, claims: 0, snapshot }
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
const smallest = 8_192

const statusAfter = (end: End | null) =>
  end === null ? 'running' : end.card ? 'interrupted' : 'idle'

const moving = (lease: Lease, after: Lease, end: End | null): Part => fragment`
  update ai_engine.threads set head = ${after.head}, next = ${after.next}, seq = ${after.seq},
    base = ${after.base}, base_bytes = ${after.base_bytes}, delta_bytes = ${after.delta_bytes},
    claims = 0, status = ${statusAfter(end)}, card_id = ${end?.card?.card.card_id ?? null},
    lease_until = ${leaseUntil()}, updated_at = now()
  where ${held(lease)} and head = ${lease.head} returning cancelled`

function checkpoints(lease: Lease, after: ReturnType<typeof moved>, steps: Step[]): Part {
  const rows = steps.map((step, index) => ({
    ...step,
    step: lease.head + 1 + index,
    checkpoint_id: newId(),
  }))
  return fragment`,
    checkpoints as (
      insert into ai_engine.checkpoints (thread_id, step, checkpoint_id, run_id, node, next, delta,
        snapshot)
      select ${lease.thread_id}::text, step, checkpoint_id, ${lease.run_id}::uuid, node, next, delta,
        case when step = ${after.head}::int then ${after.snapshot}::text::jsonb end
      from head, jsonb_to_recordset(${json(rows)}) made (step int, checkpoint_id uuid, node text,
        next text, delta jsonb))`
}

const events = (lease: Lease, lines: Line[]): Part => fragment`,
  events as (
    insert into ai_engine.events (run_id, seq, line)
    select ${lease.run_id}::uuid, told.seq, told.line from head, ${unnested(lines)} told (seq, line))`

const unnested = (lines: Line[]): Part => fragment`
  unnest(${numberArray(
    lines.map(({ seq }) => seq),
    'int4',
  )}, ${textArray(lines.map(({ line }) => line))})`

const spans = ({ trace_id }: Lease, list: Span[]): Part => fragment`,
  spans as (
    insert into ai_engine.spans (trace_id, span_id, parent_id, step, name, kind, started_at,
      duration_ms, status, attributes, error)
    select ${trace_id}::uuid, span_id, parent_id, step, name, kind, started_at, duration_ms,
      status, attributes, error
    from head, jsonb_to_recordset(${json(list)}) span (step int, span_id uuid, parent_id uuid, name text,
      kind text, started_at timestamptz, duration_ms float8, status text, attributes jsonb, error text))`

const outbox = ({ thread_id, run_id, head, ...lease }: Lease, products: object): Part => fragment`,
  outbox as (
    insert into ai_engine.outbox (sync_key, thread_id, step, organization_id, matter_id, body)
    select ${`${run_id}:${head + 1}`}::text, ${thread_id}::text, ${head + 1}::int,
      ${lease.organization_id}::text, ${lease.matter_id}::text, ${json(products)} from head)`

const delivered = (keys: string[]): Part => fragment`,
  delivered as (
    update ai_engine.outbox set status = 'DELIVERED' from head where sync_key = any(${textArray(keys)}))`

const refused = ({ sync_key, error }: NonNullable<Write['refused']>): Part => fragment`,
  refused as (
    update ai_engine.outbox set status = 'REFUSED', error = ${error} from head
    where sync_key = ${sync_key})`

const ended = ({ run_id }: Lease, end: End): Part => fragment`,
  ended as (
    update ai_engine.runs set status = ${end.status}, output = ${end.output},
      result = ${json(end.result)}, card = ${json(end.card?.card ?? null)},
      error = ${json(end.error)}, skills = ${json(end.skills)}, ended_at = now()
    from head where run_id = ${run_id})`

const cards = (
  { thread_id, run_id }: Lease,
  { card, skill, basis, hash }: NewCard,
): Part => fragment`,
  cards as (
    insert into ai_engine.cards (card_id, thread_id, run_id, skill, card, basis, hash)
    select ${card.card_id}::uuid, ${thread_id}::text, ${run_id}::uuid, ${skill}::text, ${json(card)},
      ${json(basis)}, ${hash}::text from head)`

const Told = z.object({ seq: z.int() })

/** Writes events of a step that is still under way, so that whoever hears them can count on them. */
export async function tell(sql: Sql, lease: Lease, lines: Line[]): Promise<void> {
  const told = await sql.rows(Told)`
    with thread as (select run_id from ai_engine.threads where ${held(lease)} for share)
    insert into ai_engine.events (run_id, seq, line)
    select thread.run_id, told.seq, told.line from thread, ${unnested(lines)} told (seq, line)
    returning seq`
  if (told.length === 0) throw new LeaseLost(`thread ${lease.thread_id} is run by another`)
}
