import { toFault } from '../../_kit/fault.ts'
import { newId } from '../../_kit/ids.ts'
import { errorFields } from '../../_kit/log.ts'
import { makeRecorder } from '../store/calls.ts'
import type { Line, Span } from '../store/commit.ts'
import { type Lease, LeaseLost } from '../store/lease.ts'
import type { Engine } from './drive.ts'
import { type Emitter, makeEmitter } from './emitter.ts'
import type { At, Graph, Outcome } from './graph.ts'

export interface Failure {
  code: string
  message: string
}

export interface Tried<State> {
  /** The step that was tried, and the pure ones that follow from it. */
  steps: { node: string; outcome: Outcome<State> }[]
  lines: Line[]
  seq: number
  spans: Span[]
}

type Told = { lines: Line[]; seq: number }

/** Why a step failed, as a person may read it, and whether trying again may help. */
export function failureOf(thrown: unknown): Failure & { retryable: boolean } {
  if (isFailure(thrown)) return { ...thrown, retryable: false }
  const { code, message, retryable } = toFault(thrown)
  const said = (thrown as { retryable?: unknown } | null)?.retryable
  const words = (thrown as { message?: unknown } | null)?.message
  return typeof said === 'boolean' && typeof words === 'string'
    ? { code: code === 'INTERNAL' ? 'SKILL_FAILED' : code, message: words, retryable: said }
    : { code: code === 'INTERNAL' ? 'SKILL_FAILED' : code, message, retryable }
}

const isFailure = (thrown: unknown): thrown is Failure =>
  typeof thrown === 'object' && thrown !== null && !(thrown instanceof Error) && 'code' in thrown

/** Tries one step until it succeeds or has failed for good; either way it has an outcome. */
export async function step<State>(
  engine: Engine,
  graph: Graph<State>,
  state: State,
  lease: Lease,
  told: Told,
  stop: AbortSignal,
): Promise<Tried<State>> {
  const node = lease.next
  let guard = guarded(stop, engine.limits.stepMs)
  const emitter = makeEmitter(
    engine,
    () => lease,
    told.lines,
    told.seq,
    (thrown) => guard.abort(thrown),
  )
  const spans: Span[] = []
  for (let attempt = 1; ; attempt++) {
    const attributes = attempt > 1 ? { attempt } : {}
    const own = spanOf(lease.head + 1, node, 'node', null, attributes)
    const { signal } = guard
    const recovered = lease.claims > 0 || attempt > 1 || lease.branch_of !== null
    const at: At = {
      lease,
      attributes,
      signal,
      live: (event, data) => signal.aborted || emitter.live(event, data),
      restart: emitter.restart,
      recorded: makeRecorder(engine.sql, () => lease, emitter.settled, recovered),
      span: spanning(spans, own),
    }
    try {
      const outcome = await orAborted(work(graph, node, state, at), signal)
      return await written(emitter, graph, { node, outcome }, [ended(own), ...spans])
    } catch (thrown) {
      const reason = signal.aborted ? signal.reason : thrown
      if (reason instanceof LeaseLost) throw reason
      const { retryable, ...failure } = failureOf(reason)
      spans.push(ended(own, failure.message))
      const { thread_id: thread, run_id: run } = lease
      engine.log.warn({ thread, run, node, attempt, ...errorFields(thrown) }, 'step failed')
      if (!retryable || attempt > engine.limits.retries) {
        const outcome = stop.aborted
          ? graph.stopped(state, failure)
          : graph.failed(state, node, failure)
        return await written(emitter, graph, { node, outcome }, spans)
      }
      emitter.restart()
    } finally {
      guard.end()
    }
    await new Promise((go) => setTimeout(go, 100 * 2 ** attempt * (0.5 + Math.random())))
    guard = guarded(stop, engine.limits.stepMs)
  }
}

async function work<State>(graph: Graph<State>, node: string, state: State, at: At) {
  const run = graph.nodes[node] ?? graph.pure?.[node]
  if (!run) throw { code: 'UNKNOWN_NODE', message: `There is no node ${node}.` } satisfies Failure
  return run(state, at)
}

/** A signal that ends with the run's own, or when the step's time is up. */
function guarded(stop: AbortSignal, ms: number) {
  const controller = new AbortController()
  const abort = (reason: unknown) => controller.abort(reason)
  const stopped = () => abort(stop.reason)
  stop.addEventListener('abort', stopped)
  if (stop.aborted) stopped()
  const timer = setTimeout(() => abort(timedOut), ms)
  return {
    signal: controller.signal,
    abort,
    end() {
      clearTimeout(timer)
      stop.removeEventListener('abort', stopped)
    },
  }
}

const timedOut: Failure = { code: 'STEP_TIMEOUT', message: 'A step took too long.' }

export async function stopped<State>(
  engine: Engine,
  graph: Graph<State>,
  state: State,
  lease: Lease,
  told: Told,
  failure: Failure,
): Promise<Tried<State>> {
  const emitter = makeEmitter(
    engine,
    () => lease,
    [],
    told.seq,
    () => {},
  )
  const outcome = graph.stopped(state, failure)
  const span = ended(spanOf(lease.head + 1, 'stop', 'node', null, {}), failure.message)
  return written(emitter, graph, { node: 'stop', outcome }, [span])
}

/** Goes on through the pure nodes that come next, and settles what all of them tell. */
async function written<State>(
  emitter: Emitter,
  graph: Graph<State>,
  first: Tried<State>['steps'][number],
  spans: Span[],
): Promise<Tried<State>> {
  const steps = [first]
  for (let last = first.outcome; last.next !== null; last = steps.at(-1)!.outcome) {
    const node = last.next
    const run = graph.pure?.[node]
    if (!run) break
    const attributes = {}
    const span = spanOf(spans[0]!.step + steps.length, node, 'node', null, attributes)
    steps.push({ node, outcome: await run(last.state, { attributes }) })
    spans.push(ended(span))
  }
  const events = steps.flatMap(({ outcome }) => outcome.events ?? [])
  return { steps, ...(await emitter.finish(events)), spans }
}

/** Work that does not heed its signal is left behind. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
    work.then(resolve, reject)
  })
}

function spanOf(
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

function ended({ began, ...span }: ReturnType<typeof spanOf>, error?: string): Span {
  const duration_ms = Math.round((performance.now() - began) * 1000) / 1000
  return error === undefined
    ? { ...span, duration_ms }
    : { ...span, duration_ms, status: 'error', error }
}

const spanning =
  (spans: Span[], { step, span_id }: Span): At['span'] =>
  async (kind, name, work) => {
    const attributes: Record<string, unknown> = {}
    const span = spanOf(step, name, kind, span_id, attributes)
    try {
      const result = await work(attributes)
      spans.push(ended(span))
      return result
    } catch (thrown) {
      spans.push(ended(span, failureOf(thrown).message))
      throw thrown
    }
  }
