import { errorFields } from '../../_kit/log.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import { commit, type RunEvent, type StepCommit } from '../store/commit.ts'
import { diff } from '../store/delta.ts'
import { type Lease, LeaseLost, leaseMs, renew } from '../store/lease.ts'
import { loadState } from '../store/state.ts'
import { loadEvents } from './follow.ts'
import type { Graph, Limits } from './graph.ts'
import type { RunDeps } from './run-deps.ts'
import { type Failure, runStep, type StepResult, stopRun } from './run-step.ts'

const maxClaims = 5

/**
 * Runs a thread from where it stands until its run ends, one step after another, each written before the
 * next that does anything. Whatever happens to this process, another goes on from the last step that was written.
 */
export async function drive<State>(deps: RunDeps, graph: Graph<State>, first: Lease) {
  let lease = first
  let lastCommitAt = performance.now()
  const stop = new AbortController()
  const heartbeat = setInterval(() => {
    if (performance.now() - lastCommitAt < leaseMs / 3) return
    renew(deps.sql, lease).then(
      ({ cancelled }) => cancelled && stop.abort(cancellation),
      // Not told to go on is told to stop: whoever can reach the database will go on.
      () => stop.abort(new LeaseLost('the lease was not renewed')),
    )
  }, leaseMs / 3)
  try {
    let state = (await loadState(deps.sql, lease.thread_id, lease.head)) as State
    let emitted = await loadEmitted(deps.sql, lease)
    for (;;) {
      const failure = limitExceeded(deps.limits, lease)
      const result = failure
        ? await stopRun(deps, graph, state, lease, emitted, failure)
        : await runStep(deps, graph, state, lease, emitted, stop.signal)
      const stepCommit = buildCommit(state, result)
      lease = await commit(deps.sql, lease, stepCommit)
      lastCommitAt = performance.now()
      deps.hub.publish(lease.run_id, stepCommit.lines)
      for (const { node } of result.steps) deps.metrics.count('engine_steps_total', { node })
      if (stepCommit.end) return recordEnd(deps, lease, stepCommit.end.status)
      state = result.steps.at(-1)!.outcome.state
      emitted = { lines: [], seq: lease.seq }
    }
  } catch (thrown) {
    if (!(thrown instanceof LeaseLost)) throw thrown
    deps.log.info({ thread: lease.thread_id, run: lease.run_id }, 'run left to another')
  } finally {
    clearInterval(heartbeat)
  }
}

const cancellation: Failure = { code: 'CANCELLED', message: 'The run was cancelled.' }

/** Why a run may not take another step, if so. */
function limitExceeded({ steps, runMs }: Limits, lease: Lease): Failure | undefined {
  if (lease.cancelled) return cancellation
  if (lease.claims > maxClaims)
    return { code: 'RUN_ABANDONED', message: 'The process died in every attempt at this step.' }
  if (lease.head - lease.first_step >= steps)
    return { code: 'TOO_MANY_STEPS', message: `The run took ${steps} steps and did not end.` }
  if (Date.now() - Date.parse(lease.started_at) > runMs)
    return { code: 'RUN_TIMEOUT', message: 'The run took too long.' }
  return undefined
}

/** What an attempt at the coming step told before it died. */
async function loadEmitted(sql: Sql, lease: Lease): Promise<{ lines: RunEvent[]; seq: number }> {
  const lines = lease.claims === 0 ? [] : await loadEvents(sql, lease.run_id, lease.seq)
  return { lines, seq: lines.at(-1)?.seq ?? lease.seq }
}

function buildCommit<State>(
  before: State,
  { steps, lines, seq, spans }: StepResult<State>,
): StepCommit {
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

function recordEnd({ metrics }: RunDeps, lease: Lease, status: string) {
  metrics.count('engine_runs_total', { status })
  metrics.time('engine_run_seconds', {}, Date.now() - Date.parse(lease.started_at))
}

/** For logs: a run that could not be driven on is left to whoever takes it up. */
export const logAbandoned =
  ({ log }: RunDeps, lease: Lease) =>
  (thrown: unknown) =>
    log.warn({ thread: lease.thread_id, run: lease.run_id, ...errorFields(thrown) }, 'run left')
