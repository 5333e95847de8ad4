import { errorFields } from '../../_kit/log.ts'
import { type CallSink, makeRecorder } from '../store/calls.ts'
import type { Span } from '../store/commit.ts'
import { type Lease, LeaseLost } from '../store/lease.ts'
import type { Emitter } from './emitter.ts'
import { toFailure } from './failure.ts'
import type { Attempted, NodeContext } from './graph.ts'
import type { RunDeps } from './run-deps.ts'
import { endSpan, makeSpanner, startSpan } from './spans.ts'
import { raceAbort, stepTimeout } from './step-timeout.ts'

/** Context that the attempts at a step, or at its branches, share. */
export interface StepScope {
  deps: RunDeps
  lease: Lease
  /** Resolves to the lease when the previous step is committed. Nothing is written before. */
  readyLease: () => Promise<Lease>
  /** Ends all attempts. */
  stop: AbortSignal
  calls: CallSink
  /** Finished spans of the step. */
  spans: Span[]
}

/** Span of each attempt. */
export interface AttemptSpan {
  name: string
  kind: Span['kind']
  parent_id: string | null
}

/** Receives the events of the attempts. */
export type EventSink = Pick<Emitter, 'emit' | 'discardAttempt' | 'discardText' | 'settle'>

/** Runs work with a time limit and retries. Throws only if the lease is lost. */
export async function runAttempts<Result>(
  { deps, lease, readyLease, stop, calls, spans }: StepScope,
  { name, kind, parent_id }: AttemptSpan,
  sink: EventSink,
  work: (context: NodeContext) => Promise<Result>,
): Promise<Attempted<Result>> {
  for (let attempt = 1; ; attempt++) {
    const attributes = attempt > 1 ? { attempt } : {}
    const span = startSpan(lease.head + 1, name, kind, parent_id, attributes)
    const timeout = stepTimeout(stop, deps.limits.stepMs)
    const { signal } = timeout
    const replayCalls = lease.claims > 0 || attempt > 1 || lease.branch_of !== null
    const context: NodeContext = {
      lease,
      attributes,
      signal,
      emit: (event, data) => signal.aborted || sink.emit(event, data),
      discardText: (data) => signal.aborted || sink.discardText(data),
      settle: sink.settle,
      record: makeRecorder(deps.sql, readyLease, calls, replayCalls),
      flush: calls.flush,
      span: makeSpanner(spans, span),
    }
    try {
      const value = await raceAbort(work(context), signal)
      spans.push(endSpan(span))
      return { value }
    } catch (thrown) {
      const reason = signal.aborted ? signal.reason : thrown
      if (reason instanceof LeaseLost) throw reason
      const { retryable, ...failure } = toFailure(reason)
      spans.push(endSpan(span, failure.message))
      const { thread_id: thread, run_id: run } = lease
      deps.log.warn({ thread, run, name, attempt, ...errorFields(thrown) }, 'step failed')
      if (!retryable || attempt > deps.limits.retries) return { failure }
      sink.discardAttempt()
    } finally {
      timeout.end()
    }
    await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt * (0.5 + Math.random())))
  }
}
