import { toFault } from '../../_kit/fault.ts'
import { newId } from '../../_kit/ids.ts'
import { errorFields } from '../../_kit/log.ts'
import { makeRecorder } from '../store/calls.ts'
import type { RunEvent, Span } from '../store/commit.ts'
import { type Lease, LeaseLost } from '../store/lease.ts'
import { type Emitter, makeEmitter } from './emitter.ts'
import type { Graph, NodeContext, Outcome } from './graph.ts'
import type { RunDeps } from './run-deps.ts'

export interface Failure {
  code: string
  message: string
}

export interface StepResult<State> {
  /** The step that was tried, and the pure ones that follow from it. */
  steps: { node: string; outcome: Outcome<State> }[]
  lines: RunEvent[]
  seq: number
  spans: Span[]
}

type EmittedSoFar = { lines: RunEvent[]; seq: number }

/** Why a step failed, as a person may read it, and whether trying again may help. */
export function toFailure(thrown: unknown): Failure & { retryable: boolean } {
  if (isFailure(thrown)) return { ...thrown, retryable: false }
  const { code, message, retryable } = toFault(thrown)
  const ownRetryable = (thrown as { retryable?: unknown } | null)?.retryable
  const text = (thrown as { message?: unknown } | null)?.message
  return typeof ownRetryable === 'boolean' && typeof text === 'string'
    ? { code: code === 'INTERNAL' ? 'SKILL_FAILED' : code, message: text, retryable: ownRetryable }
    : { code: code === 'INTERNAL' ? 'SKILL_FAILED' : code, message, retryable }
}

const isFailure = (thrown: unknown): thrown is Failure =>
  typeof thrown === 'object' && thrown !== null && !(thrown instanceof Error) && 'code' in thrown

/** Tries one step until it succeeds or has failed for good; either way it has an outcome. */
export async function runStep<State>(
  deps: RunDeps,
  graph: Graph<State>,
  state: State,
  lease: Lease,
  emitted: EmittedSoFar,
  stop: AbortSignal,
): Promise<StepResult<State>> {
  const node = lease.next
  let timeout = stepTimeout(stop, deps.limits.stepMs)
  const emitter = makeEmitter(
    deps,
    () => lease,
    emitted.lines,
    emitted.seq,
    (thrown) => timeout.abort(thrown),
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
      discardEmitted: emitter.discardEmitted,
      record: makeRecorder(deps.sql, () => lease, emitter.flush, replayCalls),
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
          ? graph.onAbort(state, failure)
          : graph.onNodeFailure(state, node, failure)
        return await runPureNodes(emitter, graph, { node, outcome }, spans)
      }
      emitter.discardEmitted()
    } finally {
      timeout.end()
    }
    await new Promise((go) => setTimeout(go, 100 * 2 ** attempt * (0.5 + Math.random())))
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
  if (!run) throw { code: 'UNKNOWN_NODE', message: `There is no node ${node}.` } satisfies Failure
  return run(state, context)
}

/** A signal that ends with the run's own, or when the step's time is up. */
function stepTimeout(stop: AbortSignal, ms: number) {
  const controller = new AbortController()
  const abort = (reason: unknown) => controller.abort(reason)
  const onStop = () => abort(stop.reason)
  stop.addEventListener('abort', onStop)
  if (stop.aborted) onStop()
  const timer = setTimeout(() => abort(stepTimedOut), ms)
  return {
    signal: controller.signal,
    abort,
    end() {
      clearTimeout(timer)
      stop.removeEventListener('abort', onStop)
    },
  }
}

const stepTimedOut: Failure = { code: 'STEP_TIMEOUT', message: 'A step took too long.' }

export async function stopRun<State>(
  deps: RunDeps,
  graph: Graph<State>,
  state: State,
  lease: Lease,
  emitted: EmittedSoFar,
  failure: Failure,
): Promise<StepResult<State>> {
  const emitter = makeEmitter(
    deps,
    () => lease,
    [],
    emitted.seq,
    () => {},
  )
  const outcome = graph.onAbort(state, failure)
  const span = endSpan(startSpan(lease.head + 1, 'stop', 'node', null, {}), failure.message)
  return runPureNodes(emitter, graph, { node: 'stop', outcome }, [span])
}

/** Goes on through the pure nodes that come next, and settles what all of them tell. */
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

/** Work that does not heed its signal is left behind. */
function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
    work.then(resolve, reject)
  })
}

function startSpan(
  step: number,
  name: string,
  kind: Span['kind'],
  parent_id: string | null,
  attributes: Record<string, unknown>,
) {
  const began = performance.now()
  const span: Span = {
    step,
    span_id: newId(),
    parent_id,
    name,
    kind,
    started_at: new Date().toISOString(),
    duration_ms: 0,
    status: 'ok',
    attributes,
    error: null,
  }
  return { ...span, began }
}

function endSpan({ began, ...span }: ReturnType<typeof startSpan>, error?: string): Span {
  const duration_ms = Math.round((performance.now() - began) * 1000) / 1000
  return error === undefined
    ? { ...span, duration_ms }
    : { ...span, duration_ms, status: 'error', error }
}

const makeSpanner =
  (spans: Span[], { step, span_id }: Span): NodeContext['span'] =>
  async (kind, name, work) => {
    const attributes: Record<string, unknown> = {}
    const span = startSpan(step, name, kind, span_id, attributes)
    try {
      const result = await work(attributes)
      spans.push(endSpan(span))
      return result
    } catch (thrown) {
      spans.push(endSpan(span, toFailure(thrown).message))
      throw thrown
    }
  }
