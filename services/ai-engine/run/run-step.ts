import type { CallRow } from '../store/calls.ts'
import type { RunEvent, Span } from '../store/commit.ts'
import type { Lease } from '../store/lease.ts'
import { type Emitter, makeEmitter } from './emitter.ts'
import type { Failure } from './failure.ts'
import type { Attempted, Graph, Outcome, ParallelNode } from './graph.ts'
import type { PreviousCommit } from './held-commit.ts'
import { orderBranches } from './order-branches.ts'
import type { ReplayFilter } from './replay-filter.ts'
import { runAttempts, type StepScope } from './run-attempts.ts'
import type { RunDeps } from './run-deps.ts'
import { endSpan, startSpan } from './spans.ts'

export interface StepResult<State> {
  /** The step and the pure steps that follow it. */
  steps: { node: string; outcome: Outcome<State> }[]
  lines: RunEvent[]
  seq: number
  spans: Span[]
  calls: CallRow[]
}

/** The position of a run before a step. */
export interface StepStart<State> {
  state: State
  lease: Lease
  /** Text of this step that clients have received, and the number of the last event. */
  emitted: { filter: ReplayFilter; seq: number }
  /** Nothing is written before the previous step is committed. */
  previous: PreviousCommit
}

/** Runs one step with retries. A step that fails for good has an outcome too. */
export async function runStep<State>(
  deps: RunDeps,
  graph: Graph<State>,
  { state, lease, emitted, previous }: StepStart<State>,
  stop: AbortController,
): Promise<StepResult<State>> {
  const node = lease.next
  const readyLease = () => previous.settled().then(() => lease)
  const emitter = makeEmitter(deps, lease, previous, emitted.filter, emitted.seq, (thrown) =>
    stop.abort(thrown),
  )
  const scope: StepScope = {
    deps,
    lease,
    readyLease,
    stop: stop.signal,
    calls: emitter,
    spans: [],
  }
  const parallel = graph.parallel?.[node]
  const attempted = parallel
    ? await runBranches(scope, emitter, node, parallel, state)
    : await runAttempts(scope, { name: node, kind: 'node', parent_id: null }, emitter, (context) =>
        (graph.nodes[node] ?? graph.pure?.[node] ?? unknownNode(node))(state, context),
      )
  const outcome =
    'value' in attempted
      ? attempted.value
      : stop.signal.aborted
        ? graph.onAbort(state, attempted.failure, emitted.filter.textOf)
        : graph.onNodeFailure(state, node, attempted.failure, emitted.filter.textOf)
  return runPureNodes(emitter, graph, lease.head + 1, { node, outcome }, scope.spans)
}

const unknownNode = (node: string) => () => {
  throw { code: 'UNKNOWN_NODE', message: `The graph has no node ${node}.` } satisfies Failure
}

/**
 * Runs the branches of a step concurrently, each with its own retries, and joins their results in the
 * order of the branches. A branch that fails does not stop the others.
 */
async function runBranches<State>(
  scope: StepScope,
  emitter: Emitter,
  node: string,
  { branches, join }: ParallelNode<State>,
  state: State,
): Promise<Attempted<Outcome<State>>> {
  const span = startSpan(scope.lease.head + 1, node, 'node', null, {})
  const list = branches(state)
  const sinks = orderBranches(
    emitter,
    list.map(({ name }) => name),
  )
  const results = await Promise.all(
    list.map(async ({ name, kind, run }, index) => {
      const began = performance.now()
      const attempted = await runAttempts(
        scope,
        { name, kind, parent_id: span.span_id },
        sinks[index]!,
        (context) => run(state, context),
      )
      sinks[index]!.end()
      return { name, durationMs: Math.round(performance.now() - began), ...attempted }
    }),
  )
  const failed = results.find((result) => 'failure' in result)
  scope.spans.push(
    endSpan(span, failed && 'failure' in failed ? failed.failure.message : undefined),
  )
  if (failed && 'failure' in failed && scope.stop.aborted) return { failure: failed.failure }
  return { value: join(state, results) }
}

/** Ends a run that must not take another step. */
export async function stopRun<State>(
  deps: RunDeps,
  graph: Graph<State>,
  { state, lease, emitted, previous }: StepStart<State>,
  failure: Failure,
): Promise<StepResult<State>> {
  const { filter, seq } = emitted
  const emitter = makeEmitter(deps, lease, previous, filter, seq, () => {})
  const outcome = graph.onAbort(state, failure, filter.textOf)
  const step = lease.head + 1
  const span = endSpan(startSpan(step, 'stop', 'node', null, {}), failure.message)
  return runPureNodes(emitter, graph, step, { node: 'stop', outcome }, [span])
}

/** Runs the pure nodes that follow, and those without work, and collects the events of all steps. */
async function runPureNodes<State>(
  emitter: Emitter,
  graph: Graph<State>,
  firstStep: number,
  first: StepResult<State>['steps'][number],
  spans: Span[],
): Promise<StepResult<State>> {
  const steps = [first]
  for (let last = first.outcome; last.next !== null; last = steps.at(-1)!.outcome) {
    const node = last.next
    const attributes = {}
    const span = startSpan(firstStep + steps.length, node, 'node', null, attributes)
    const outcome = first.outcome.effects?.length ? undefined : graph.idle?.[node]?.(last.state)
    const run = graph.pure?.[node]
    if (!outcome && !run) break
    steps.push({ node, outcome: outcome ?? (await run!(last.state, { attributes })) })
    spans.push(endSpan(span))
  }
  const events = steps.flatMap(({ outcome }) => outcome.events ?? [])
  return { steps, ...(await emitter.finish(events)), spans }
}
