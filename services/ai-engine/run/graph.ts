import type { RecordCall } from '../store/calls.ts'
import type { End, Span } from '../store/commit.ts'
import type { Effect } from '../store/effect.ts'
import type { Lease } from '../store/lease.ts'
import type { Failure } from './failure.ts'
import type { EventData, NewEvent } from './replay-filter.ts'

/** The result of a node. The engine commits it as a whole. */
export interface Outcome<State> {
  state: State
  /** The next node; null if the run ends here. */
  next: string | null
  events?: NewEvent[]
  /** Writes to other services, in the order in which they are delivered. */
  effects?: Effect[]
  delivered?: string[]
  refused?: { sync_key: string; error: string }[]
  end?: End
  /** Version of the skill that the node ran. */
  skill_version?: string
}

/** Functions and data of the engine for a running node. */
export interface NodeContext {
  lease: Lease
  /** Attributes of the node's span. */
  attributes: Record<string, unknown>
  signal: AbortSignal
  emit(event: 'token' | 'progress', data: EventData): void
  /** Discards the text emitted under a node, and skill if given. It is emitted again from the start. */
  discardText(data: EventData): void
  /** Ends the text under a node. Returns all text that clients received under it in this step. */
  settle(node: string): string
  record: RecordCall
  /** Waits until all recorded calls are committed. */
  flush(): Promise<void>
  /** Measures a part of the step. */
  span<T>(
    kind: Span['kind'],
    name: string,
    work: (attributes: Record<string, unknown>) => Promise<T>,
  ): Promise<T>
}

export type Node<State> = (state: State, context: NodeContext) => Promise<Outcome<State>>

/** A node that reads only the state and has no side effects. */
export type PureNode<State> = (
  state: State,
  context: Pick<NodeContext, 'attributes'>,
) => Promise<Outcome<State>>

/** The result of work that was retried: its value, or the failure of the last attempt. */
export type Attempted<Result> = { value: Result } | { failure: Failure }

/** A branch of a step. It sees the state before the step. */
export interface Branch<State, Result> {
  name: string
  kind: Span['kind']
  run(state: State, context: NodeContext): Promise<Result>
}

export type BranchResult<Result> = { name: string; durationMs: number } & Attempted<Result>

/** A node whose branches run concurrently, each with its own retries. */
export interface ParallelNode<State, Result = unknown> {
  branches(state: State): Branch<State, Result>[]
  /** Joins the results, which are in the order of the branches. Must be deterministic. */
  join(state: State, results: BranchResult<Result>[]): Outcome<State>
}

/** Returns the text that clients received under a node in the current step. */
export type EmittedText = (node: string) => string

export interface Graph<State> {
  nodes: Record<string, Node<State>>
  parallel?: Record<string, ParallelNode<State>>
  /** Nodes that are committed together with the step before them. */
  pure?: Record<string, PureNode<State>>
  /** Outcome of nodes that write, where there is nothing to write; undefined if the node must run. */
  idle?: Record<string, (state: State) => Outcome<State> | undefined>
  /** Nodes that may start before the step before them is committed: they only call models and read. */
  eager?: Set<string>
  /** Brings a state that an older version of the graph stored to the present shape. */
  upgrade?(stored: unknown): State
  /** Outcome of a node that failed for good. */
  onNodeFailure(state: State, node: string, error: Failure, emitted: EmittedText): Outcome<State>
  /** Text of the progress event that announces a restarted reply. */
  restartText?(state: State): string
  /** End of a run that must not continue: cancelled, out of time or out of steps. */
  onAbort(state: State, error: Failure, emitted: EmittedText): Outcome<State>
}

export interface Limits {
  /** Maximum number of steps of a run. */
  steps: number
  /** Maximum number of retries of a step. */
  retries: number
  stepMs: number
  runMs: number
}
