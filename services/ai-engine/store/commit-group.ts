import * as z from 'zod'
import { rowSource } from '../../_kit/sql/row-source.ts'
import { fragment, join, type Sql, type SqlFragment } from '../../_kit/sql/sql.ts'
import {
  type advance,
  checkpointColumns,
  checkpointRows,
  commit,
  mustNotBeCancelled,
  type StepCommit,
  spanColumns,
  statusAfter,
} from './commit.ts'
import { type Lease, leaseUntil } from './lease.ts'

export type CommitStep = typeof commit

interface Waiting {
  sql: Sql
  lease: Lease
  after: ReturnType<typeof advance>
  write: StepCommit
  resolve(committed: ReturnType<CommitStep> | { cancel_code: string | null }): void
}

/** Statements that run at the same time; steps that arrive meanwhile are committed together. */
const maxStatements = 2
const maxSteps = 32

/**
 * Commits steps of several threads in one statement and one flush to the disk when they arrive faster than the
 * database commits. A step that arrives alone does not wait. A thread that another transaction has locked, or whose
 * lease is lost, is left to a statement of its own, and so is every thread if the joint statement fails.
 */
export function makeCommitGroup(): CommitStep {
  let waiting: Waiting[] = []
  let running = 0

  async function run(group: Waiting[]) {
    const alone = ({ sql, lease, after, write }: Waiting) => commit(sql, lease, after, write)
    const [first] = group as [Waiting]
    if (group.length === 1) return first.resolve(alone(first))
    const rows = await commitTogether(first.sql, group).catch((): HeadRow[] => [])
    const committed = new Map(rows.map((row) => [row.thread_id, row]))
    for (const each of group) each.resolve(committed.get(each.lease.thread_id) ?? alone(each))
  }

  function next() {
    while (running < maxStatements && waiting.length > 0) {
      const group = waiting.slice(0, maxSteps)
      waiting = waiting.slice(maxSteps)
      running++
      void run(group).finally(() => {
        running--
        next()
      })
    }
  }

  return (sql, lease, after, write) => {
    if (!isPlain(write)) return commit(sql, lease, after, write)
    return new Promise((resolve) => {
      waiting.push({ sql, lease, after, write, resolve })
      next()
    })
  }
}

/** A step that writes only checkpoints, events, spans and the end of its run, as most do. */
const isPlain = ({ calls, following, effects, delivered, refused, end }: StepCommit) =>
  !end?.card &&
  [calls, following.calls, effects, delivered, refused].every((list) => list.length === 0)

const HeadRow = z.object({ thread_id: z.string(), cancel_code: z.string().nullable() })
type HeadRow = z.infer<typeof HeadRow>

const threadColumns = {
  thread_id: 'text',
  run_id: 'uuid',
  lease_token: 'int',
  head_before: 'int',
  head: 'int',
  next: 'text',
  seq: 'int',
  base: 'int',
  base_bytes: 'int',
  delta_bytes: 'int',
  status: 'text',
  not_cancelled: 'int',
} as const

/** Asynchronous, so that a statement that cannot be built rejects like one that fails. */
const commitTogether = async (sql: Sql, group: Waiting[]): Promise<HeadRow[]> => sql.rows(HeadRow)`
  with head as (${updateThreads(group)})${join([
    insertCheckpoints(group),
    insertEvents(group),
    insertSpans(group),
    endRuns(group),
  ])}
  select thread_id, cancel_code from head`

const updateThreads = (group: Waiting[]): SqlFragment => {
  const rows = group.map(({ lease, after, write: { end } }) => ({
    ...after,
    head_before: lease.head,
    status: statusAfter(end),
    not_cancelled: mustNotBeCancelled(end) ? 1 : 0,
  }))
  return fragment`
    update ai_engine.threads t set head = made.head, next = made.next, seq = made.seq, base = made.base,
      base_bytes = made.base_bytes, delta_bytes = made.delta_bytes, claims = 0, card_id = null, status = made.status,
      lease_until = ${leaseUntil()}, updated_at = now()
    from (
      select made.* from ${rowSource('made', threadColumns, rows)}
      join ai_engine.threads held on held.thread_id = made.thread_id and held.run_id = made.run_id
        and held.lease_token = made.lease_token and held.status = 'running'
        and held.head = made.head_before and (made.not_cancelled = 0 or held.cancel_code is null)
      for update of held skip locked) made
    where t.thread_id = made.thread_id
    returning t.thread_id, t.run_id, made.head, t.cancel_code`
}

function insertCheckpoints(group: Waiting[]): SqlFragment {
  const rows = group.flatMap(({ lease, after, write }) =>
    checkpointRows(lease, write.steps).map((row) => ({
      ...row,
      thread_id: lease.thread_id,
      snapshot: row.step === after.head ? after.snapshot : null,
    })),
  )
  const columns = { ...checkpointColumns, thread_id: 'text', snapshot: 'text' } as const
  return fragment`,
    checkpoints as (
      insert into ai_engine.checkpoints (thread_id, step, checkpoint_id, run_id, node, next, delta,
        skill_version, snapshot)
      select thread_id, step, checkpoint_id, head.run_id, made.node, made.next, delta, skill_version,
        snapshot::jsonb
      from head join ${rowSource('made', columns, rows)} using (thread_id))`
}

function insertEvents(group: Waiting[]): SqlFragment {
  const rows = group.flatMap(({ lease, write }) =>
    [...write.lines, ...write.following.lines].map(({ seq, line }) => ({
      run_id: lease.run_id,
      seq,
      line,
    })),
  )
  if (rows.length === 0) return fragment``
  return fragment`,
    events as (
      insert into ai_engine.events (run_id, seq, line)
      select run_id, made.seq, made.line
      from head join ${rowSource('made', { run_id: 'uuid', seq: 'int', line: 'text' }, rows)} using (run_id))`
}

function insertSpans(group: Waiting[]): SqlFragment {
  const rows = group.flatMap(({ lease, write }) =>
    write.spans.map((span) => ({ ...span, run_id: lease.run_id, trace_id: lease.trace_id })),
  )
  if (rows.length === 0) return fragment``
  const columns = { ...spanColumns, run_id: 'uuid', trace_id: 'uuid' } as const
  return fragment`,
    spans as (
      insert into ai_engine.spans (trace_id, span_id, parent_id, step, name, kind, started_at,
        duration_ms, status, attributes, error)
      select span.trace_id, span_id, parent_id, step, name, kind, started_at, duration_ms, status,
        attributes, error
      from head join ${rowSource('span', columns, rows)} using (run_id))`
}

function endRuns(group: Waiting[]): SqlFragment {
  const rows = group.flatMap(({ lease: { run_id }, write: { end } }) =>
    end ? [{ ...end, run_id }] : [],
  )
  if (rows.length === 0) return fragment``
  return fragment`,
    ended as (
      update ai_engine.runs r set status = made.status, output = made.output,
        result = coalesce(made.result, 'null'), card = 'null', error = coalesce(made.error, 'null'),
        skills = made.skills, skill_version = made.skill_version, ended_at = now()
      from head join ${rowSource('made', endColumns, rows)} using (run_id) where r.run_id = head.run_id)`
}

const endColumns = {
  run_id: 'uuid',
  status: 'text',
  output: 'text',
  result: 'jsonb',
  error: 'jsonb',
  skills: 'jsonb',
  skill_version: 'text',
} as const
