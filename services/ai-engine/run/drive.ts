import { errorFields } from '../../_kit/log.ts'
import { advance, type StepCommit } from '../store/commit.ts'
import { diff } from '../store/delta.ts'
import { type Lease, LeaseLost, leaseMs, renew } from '../store/lease.ts'
import type { StartedLease } from '../store/start-run.ts'
import { loadState } from '../store/state.ts'
import { type Failure, toCancellation } from './failure.ts'
import type { Graph, Limits } from './graph.ts'
import { committedBefore, holdCommit } from './held-commit.ts'
import { loadEmitted } from './load-emitted.ts'
import { makeReplayFilter } from './replay-filter.ts'
import type { RunDeps } from './run-deps.ts'
import { runStep, type StepResult, type StepStart, stopRun } from './run-step.ts'

/** Attempts of different processes at one step before the run is abandoned. */
export const maxClaims = 8

/**
 * Runs a thread step by step until its run ends. Each step is committed before the next one has an
 * effect, so after a crash another process continues from the last committed step.
 */
export async function drive<State>(
  deps: RunDeps,
  graph: Graph<State>,
  { state: startState, ...first }: StartedLease,
  stop = new AbortController(),
) {
  let lease: Lease = first
  let lastCommitAt = performance.now()
  const heartbeat = setInterval(() => {
    if (performance.now() - lastCommitAt < leaseMs / 3) return
    renew(deps.sql, lease).then(
      ({ cancel_code }) => cancel_code && stop.abort(toCancellation(cancel_code)),
      // A process that can reach the database takes over.
      () => stop.abort(new LeaseLost('the lease was not renewed')),
    )
  }, leaseMs / 3)

  async function commitStep(from: Lease, after: ReturnType<typeof advance>, write: StepCommit) {
    const { cancel_code } = await deps.commit(deps.sql, from, after, write)
    lastCommitAt = performance.now()
    deps.hub.publish(from.run_id, write.lines)
    for (const { node } of write.steps) deps.metrics.count('engine_steps_total', { node })
    if (cancel_code) stop.abort(toCancellation(cancel_code))
  }

  try {
    let committed = startState ?? (await loadState(deps.sql, lease.thread_id, lease.head))
    let state = graph.upgrade?.(committed) ?? (committed as State)
    let emitted = await loadEmitted(deps.sql, lease, graph.restartText?.(state))
    let previous = committedBefore
    for (;;) {
      const start: StepStart<State> = { state, lease, emitted, previous }
      const failure = limitExceeded(deps.limits, lease, stop.signal)
      const result = failure
        ? await stopRun(deps, graph, start, failure)
        : await runStep(deps, graph, start, stop)
      await previous.settled()
      const write = buildCommit(committed, result)
      const before = lease
      const after = advance(before, write)
      previous = committedBefore
      if (write.end) {
        const cancelCode = await awaitEnd(deps, lease, commitStep(before, after, write))
        if (!cancelCode) return recordEnd(deps, after, write.end.status)
        lease = { ...lease, cancel_code: cancelCode }
        emitted = { filter: emitted.filter, seq: result.seq - result.lines.length }
        continue
      }
      if (graph.eager?.has(after.next)) {
        previous = holdCommit(
          (lines, calls) => commitStep(before, after, { ...write, following: { lines, calls } }),
          (thrown) => stop.abort(thrown),
        )
      } else await commitStep(before, after, write)
      lease = after
      state = result.steps.at(-1)!.outcome.state
      committed = state
      emitted = { filter: makeReplayFilter(graph.restartText?.(state)), seq: lease.seq }
    }
  } catch (thrown) {
    if (!(thrown instanceof LeaseLost)) throw thrown
    deps.log.info({ thread: lease.thread_id, run: lease.run_id }, 'run stopped: lease lost')
  } finally {
    clearInterval(heartbeat)
  }
}

/**
 * Waits for the commit of the end of a run. Returns the code of a cancellation that came first: the end was
 * not committed, and the run must end as cancelled.
 */
async function awaitEnd({ sql }: RunDeps, lease: Lease, committing: Promise<unknown>) {
  try {
    await committing
    return null
  } catch (thrown) {
    if (!(thrown instanceof LeaseLost)) throw thrown
    const { cancel_code } = await renew(sql, lease)
    if (cancel_code === null) throw thrown
    return cancel_code
  }
}

/** Returns the reason why a run must not take another step. */
function limitExceeded(
  { steps, runMs }: Limits,
  lease: Lease,
  stop: AbortSignal,
): Failure | undefined {
  if (lease.cancel_code) return toCancellation(lease.cancel_code)
  if (stop.aborted && !(stop.reason instanceof Error)) return stop.reason
  if (lease.claims > maxClaims)
    return { code: 'RUN_ABANDONED', message: `All ${maxClaims} attempts at a step were lost.` }
  if (lease.head - lease.first_step >= steps)
    return { code: 'TOO_MANY_STEPS', message: `The run did not end within ${steps} steps.` }
  if (Date.now() - Date.parse(lease.started_at) > runMs)
    return { code: 'RUN_TIMEOUT', message: 'The run exceeded its time limit.' }
  return undefined
}

function buildCommit<State>(
  before: unknown,
  { steps, lines, seq, spans, calls }: StepResult<State>,
): StepCommit {
  const [first, last] = [steps[0]!.outcome, steps.at(-1)!.outcome]
  const states = [before, ...steps.map(({ outcome }) => outcome.state)]
  return {
    steps: steps.map(({ node, outcome }, index) => ({
      node,
      next: outcome.next,
      delta: diff(states[index], outcome.state),
      skill_version: outcome.skill_version,
    })),
    state: last.state,
    lines,
    seq,
    spans,
    calls,
    following: { lines: [], calls: [] },
    effects: first.effects ?? [],
    delivered: first.delivered ?? [],
    refused: first.refused ?? [],
    end: last.end ?? null,
  }
}

function recordEnd({ metrics }: RunDeps, lease: Lease, status: string) {
  metrics.count('engine_runs_total', { status })
  metrics.time('engine_run_seconds', {}, Date.now() - Date.parse(lease.started_at))
}

/** Logs a run that this process cannot drive any further. */
export const logAbandoned =
  ({ log }: RunDeps, lease: Lease) =>
  (thrown: unknown) =>
    log.warn(
      { thread: lease.thread_id, run: lease.run_id, claims: lease.claims, ...errorFields(thrown) },
      'run abandoned',
    )
