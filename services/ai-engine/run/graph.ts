import type { RecordCall } from '../store/calls.ts'
import type { End, Span } from '../store/commit.ts'
import type { Lease } from '../store/lease.ts'
import type { EventName } from './emitter.ts'

export type NewEvent = [EventName, Record<string, unknown>]

/** What a node leaves behind; the engine writes it whole. */
export interface Outcome<State> {
  state: State
  /** The node to run next; null when the run ends here. */
  next: string | null
  events?: NewEvent[]
  products?: object | null
  delivered?: string[]
  refused?: { sync_key: string; error: string } | null
  end?: End
}

/** What the engine offers a node while it runs. */
export interface NodeContext {
  lease: Lease
  /** What the trace is to say of this step. */
  attributes: Record<string, unknown>
  signal: AbortSignal
  emit(event: 'token' | 'progress', data: Record<string, unknown>): void
  discardEmitted(): void
  record: RecordCall
  /** Times a part of the step; what it throws is the part's error. */
  span<T>(
    kind: Span['kind'],
    name: string,
    work: (attributes: Record<string, unknown>) => Promise<T>,
  ): Promise<T>
}

export type Node<State> = (state: State, context: NodeContext) => Promise<Outcome<State>>

/** A node that only looks at the state: no effect, nothing to wait for. */
export type PureNode<State> = (
  state: State,
  context: Pick<NodeContext, 'attributes'>,
) => Promise<Outcome<State>>

export interface Graph<State> {
  nodes: Record<string, Node<State>>
  /** These are written together with the step they follow. */
  pure?: Record<string, PureNode<State>>
  /** Where a node that failed for good leads: to the end, by whatever must come before it. */
  onNodeFailure(
    state: State,
    node: string,
    error: { code: string; message: string },
  ): Outcome<State>
  /** How a run ends that may not go on: cancelled, out of time, out of steps. */
  onAbort(state: State, error: { code: string; message: string }): Outcome<State>
}

export interface Limits {
  /** Steps that one run may take. */
  steps: number
  /** How often a step that failed is tried again. */
  retries: number
  stepMs: number
  runMs: number
}
