import type { Log } from '../../_kit/log.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Metrics } from '../../_kit/metrics.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import { commit, type Line, type Write } from '../store/commit.ts'
import { diff } from '../store/delta.ts'
import { type Lease, LeaseLost, leaseMs, renew } from '../store/lease.ts'
import { stateAt } from '../store/state.ts'
import { type Failure, step, stopped, type Tried } from './attempt.ts'
import { linesAfter } from './follow.ts'
import type { Graph, Limits } from './graph.ts'
import type { Hub } from './hub.ts'

export interface Engine {
  sql: Sql
  hub: Hub
  log: Log
  metrics: Metrics
  limits: Limits
}

const mostClaims = 5

/**
 * Runs a thread from where it stands until its run ends, one step after another, each written before the
 * next that does anything. Whatever happens to this process, another goes on from the last step that was written.
 */
export async function drive<State>(engine: Engine, graph: Graph<State>, first: Lease) {
  let lease = first
  let written = performance.now()
  const stop = new AbortController()
  const heartbeat = setInterval(() => {
    if (performance.now() - written < leaseMs / 3) return
    renew(engine.sql, lease).then(
      ({ cancelled }) => cancelled && stop.abort(cancellation),
      // Not told to go on is told to stop: whoever can reach the database will go on.
      () => stop.abort(new LeaseLost('the lease was not renewed')),
    )
  }, leaseMs / 3)
  try {
    let state = (await stateAt(engine.sql, lease.thread_id, lease.head)) as State
    let told = await toldBefore(engine.sql, lease)
    for (;;) {
      const failure = boundOf(engine.limits, lease)
      const tried = failure
        ? await stopped(engine, graph, state, lease, told, failure)
        : await step(engine, graph, state, lease, told, stop.signal)
      const write = writeOf(state, tried)
      lease = await commit(engine.sql, lease, write)
      written = performance.now()
      engine.hub.publish(lease.run_id, write.lines)
      for (const { node } of tried.steps) engine.metrics.count('engine_steps_total', { node })
      if (write.end) return ended(engine, lease, write.end.status)
      state = tried.steps.at(-1)!.outcome.state
      told = { lines: [], seq: lease.seq }
    }
  } catch (thrown) {
    if (!(thrown instanceof LeaseLost)) throw thrown
    engine.log.info({ thread: lease.thread_id, run: lease.run_id }, 'run left to another')
  } finally {
    clearInterval(heartbeat)
  }
}

const cancellation: Failure = { code: 'CANCELLED', message: 'The run was cancelled.' }

/** Why a run may not take another step, if so. */
function boundOf({ steps, runMs }: Limits, lease: Lease): Failure | undefined {
  if (lease.cancelled) return cancellation
  if (lease.claims > mostClaims)
    return { code: 'RUN_ABANDONED', message: 'The process died in every attempt at this step.' }
  if (lease.head - lease.first_step >= steps)
    return { code: 'TOO_MANY_STEPS', message: `The run took ${steps} steps and did not end.` }
  if (Date.now() - Date.parse(lease.started_at) > runMs)
    return { code: 'RUN_TIMEOUT', message: 'The run took too long.' }
  return undefined
}

/** What an attempt at the coming step told before it died. */
async function toldBefore(sql: Sql, lease: Lease): Promise<{ lines: Line[]; seq: number }> {
  const lines = lease.claims === 0 ? [] : await linesAfter(sql, lease.run_id, lease.seq)
  return { lines, seq: lines.at(-1)?.seq ?? lease.seq }
}

function writeOf<State>(before: State, { steps, lines, seq, spans }: Tried<State>): Write {
  const [first, last] = [steps[0]!.outcome, steps.at(-1)!.outcome]
  const states = [before, ...steps.map(({ outcome }) => outcome.state)]
  return {
    steps: steps.map(({ node, outcome }, index) => ({
      node,
      next: outcome.next,
      delta: diff(states[index], outcome.state),
    })),
    state: last.state,
    lines,
    seq,
    spans,
    products: first.products ?? null,
    delivered: first.delivered ?? [],
    refused: first.refused ?? null,
    end: last.end ?? null,
  }
}

function ended({ metrics }: Engine, lease: Lease, status: string) {
  metrics.count('engine_runs_total', { status })
  metrics.time('engine_run_seconds', {}, Date.now() - Date.parse(lease.started_at))
}

/** For logs: a run that could not be driven on is left to whoever takes it up. */
export const undriven =
  ({ log }: Engine, lease: Lease) =>
  (thrown: unknown) =>
    log.warn({ thread: lease.thread_id, run: lease.run_id, ...errorFields(thrown) }, 'run left')
