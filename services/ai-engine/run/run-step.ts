import { errorFields } from '../../_kit/log.ts'
import { makeRecorder } from '../store/calls.ts'
import type { RunEvent, Span } from '../store/commit.ts'
import { type Lease, LeaseLost } from '../store/lease.ts'
import { type Emitter, makeEmitter } from './emitter.ts'
import { type Failure, toFailure } from './failure.ts'
import type { Graph, NodeContext, Outcome } from './graph.ts'
import type { ReplayFilter } from './replay-filter.ts'
import type { RunDeps } from './run-deps.ts'
import { endSpan, makeSpanner, startSpan } from './spans.ts'
import { raceAbort, stepTimeout } from './step-timeout.ts'

export interface StepResult<State> {
  /** The step and the pure steps that follow it. */
  steps: { node: string; outcome: Outcome<State> }[]
  lines: RunEvent[]
  seq: number
  spans: Span[]
}

/** The position of a run before a step. */
export interface StepStart<State> {
  state: State
  lease: Lease
  /** Text of this step that clients have received, and the number of the last event. */
  emitted: { filter: ReplayFilter; seq: number }
  /** Resolves when the previous step is committed. Nothing is written before. */
  ready: Promise<unknown>
}

/** Runs one step with retries. A step that fails for good has an outcome too. */
export async function runStep<State>(
  deps: RunDeps,
  graph: Graph<State>,
  { state, lease, emitted, ready }: StepStart<State>,
  stop: AbortSignal,
): Promise<StepResult<State>> {
  const node = lease.next
  const readyLease = () => ready.then(() => lease)
  let timeout = stepTimeout(stop, deps.limits.stepMs)
  const emitter = makeEmitter(deps, readyLease, emitted.filter, emitted.seq, (thrown) =>
    timeout.abort(thrown),
  )
  const spans: Span[] = []
  for (let attempt = 1; ; attempt++) {
    const attributes = attempt > 1 ? { attempt } : {}
    const nodeSpan = startSpan(lease.head + 1, node, 'node', null, attributes)
    const { signal } = timeout
    const replayCalls = lease.claims > 0 || attempt > 1 || lease.branch_of !== null
    const context: NodeContext = {
      lease,
      attributes,
      signal,
      emit: (event, data) => signal.aborted || emitter.emit(event, data),
      discardText: emitter.discardText,
      settle: emitter.settle,
      record: makeRecorder(deps.sql, readyLease, emitter.flush, replayCalls),
      span: makeSpanner(spans, nodeSpan),
    }
    try {
      const outcome = await raceAbort(invokeNode(graph, node, state, context), signal)
      return await runPureNodes(emitter, graph, { node, outcome }, [endSpan(nodeSpan), ...spans])
    } catch (thrown) {
      const reason = signal.aborted ? signal.reason : thrown
      if (reason instanceof LeaseLost) throw reason
      const { retryable, ...failure } = toFailure(reason)
      spans.push(endSpan(nodeSpan, failure.message))
      const { thread_id: thread, run_id: run } = lease
      deps.log.warn({ thread, run, node, attempt, ...errorFields(thrown) }, 'step failed')
      if (!retryable || attempt > deps.limits.retries) {
        const outcome = stop.aborted
          ? graph.onAbort(state, failure, emitted.filter.textOf)
          : graph.onNodeFailure(state, node, failure, emitted.filter.textOf)
        return await runPureNodes(emitter, graph, { node, outcome }, spans)
      }
      emitter.discardAttempt()
    } finally {
      timeout.end()
    }
    await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt * (0.5 + Math.random())))
    timeout = stepTimeout(stop, deps.limits.stepMs)
  }
}

async function invokeNode<State>(
  graph: Graph<State>,
  node: string,
  state: State,
  context: NodeContext,
) {
  const run = graph.nodes[node] ?? graph.pure?.[node]
  if (!run)
    throw { code: 'UNKNOWN_NODE', message: `The graph has no node ${node}.` } satisfies Failure
  return run(state, context)
}

/** Ends a run that must not take another step. */
export async function stopRun<State>(
  deps: RunDeps,
  graph: Graph<State>,
  { state, lease, emitted, ready }: StepStart<State>,
  failure: Failure,
): Promise<StepResult<State>> {
  const { filter, seq } = emitted
  const readyLease = () => ready.then(() => lease)
  const emitter = makeEmitter(deps, readyLease, filter, seq, () => {})
  const outcome = graph.onAbort(state, failure, filter.textOf)
  const span = endSpan(startSpan(lease.head + 1, 'stop', 'node', null, {}), failure.message)
  return runPureNodes(emitter, graph, { node: 'stop', outcome }, [span])
}

/** Runs the pure nodes that follow, and collects the events of all steps. */
async function runPureNodes<State>(
  emitter: Emitter,
  graph: Graph<State>,
  first: StepResult<State>['steps'][number],
  spans: Span[],
): Promise<StepResult<State>> {
  const steps = [first]
  for (let last = first.outcome; last.next !== null; last = steps.at(-1)!.outcome) {
    const node = last.next
    const run = graph.pure?.[node]
    if (!run) break
    const attributes = {}
    const span = startSpan(spans[0]!.step + steps.length, node, 'node', null, attributes)
    steps.push({ node, outcome: await run(last.state, { attributes }) })
    spans.push(endSpan(span))
  }
  const events = steps.flatMap(({ outcome }) => outcome.events ?? [])
  return { steps, ...(await emitter.finish(events)), spans }
}
