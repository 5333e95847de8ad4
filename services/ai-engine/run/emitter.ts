import { storableJson } from '../../_kit/storable.ts'
import type { CallRow, CallSink } from '../store/calls.ts'
import { appendEvents, type RunEvent } from '../store/commit.ts'
import { type Lease, LeaseLost } from '../store/lease.ts'
import type { PreviousCommit } from './held-commit.ts'
import type { EventData, EventName, NewEvent, ReplayFilter } from './replay-filter.ts'
import type { RunDeps } from './run-deps.ts'

export interface Emitter extends CallSink {
  /** Commits an event, then publishes it. Text of earlier attempts is not emitted again. */
  emit(event: 'token' | 'progress', data: EventData): void
  /** Discards all text of the present attempt, of one skill if given. The next attempt emits it again. */
  discardAttempt(skill?: string): void
  /** Discards the text of the present attempt under one node, and skill where several run. */
  discardText(data: EventData): void
  /** Ends the text under a node and returns all text that clients received under it. */
  settle(node: string): string
  /** Returns uncommitted calls, and uncommitted events followed by `events`, for the commit of the step. */
  finish(events: NewEvent[]): Promise<{ lines: RunEvent[]; seq: number; calls: CallRow[] }>
}

/**
 * Numbers the events of a run and commits them while a step runs. One batch is written at a time;
 * tokens that arrive meanwhile are joined, so the number of events follows the database, not the model.
 */
export function makeEmitter(
  { sql, hub }: Pick<RunDeps, 'sql' | 'hub'>,
  lease: Lease,
  previous: PreviousCommit,
  filter: ReplayFilter,
  lastSeq: number,
  onLost: (thrown: unknown) => void,
): Emitter {
  let seq = lastSeq
  let buffer: NewEvent[] = []
  let calls: CallRow[] = []
  let writing: Promise<void> | undefined
  let lost: LeaseLost | undefined

  const build = ([event, data]: NewEvent): RunEvent => {
    seq++
    return { seq, line: storableJson({ event, data: { ...data, seq } }) }
  }

  async function drain() {
    while (buffer.length > 0 || calls.length > 0) {
      const lines = buffer.map(build)
      const finished = calls
      buffer = []
      calls = []
      if (!(await previous.commitWith(lines, finished)))
        await appendEvents(sql, lease, lines, finished)
      hub.publish(lease.run_id, lines)
    }
  }

  function push(events: NewEvent[]) {
    for (const event of events) if (!joinLast(buffer, event)) buffer.push(event)
    if (buffer.length > 0) startWriting()
  }

  function startWriting() {
    if (writing || lost) return
    writing = drain()
      .catch((thrown) => {
        lost = thrown instanceof LeaseLost ? thrown : new LeaseLost('events were not committed')
        onLost(lost)
      })
      .finally(() => {
        writing = undefined
      })
  }

  // An event that may not be committed must not be followed by one that is.
  async function settleWrites() {
    while (writing) await writing
    if (lost) throw lost
  }

  return {
    emit: (event, data) => push(filter.next(event, data)),
    discardAttempt: filter.discardAttempt,
    discardText: filter.discardText,
    settle(node) {
      push(filter.settle({ node }))
      return filter.textOf(node)
    },
    addCall(row) {
      calls.push(row)
      // A model response is expensive. A tool result is committed with the events that follow from it.
      if (row.kind === 'model') startWriting()
    },
    flush() {
      if (calls.length > 0) startWriting()
      return settleWrites()
    },
    async finish(events) {
      await settleWrites()
      const lines = [...buffer, ...events].map(build)
      const finished = calls
      buffer = []
      calls = []
      return { lines, seq, calls: finished }
    },
  }
}

/** Joins a token to the last buffered token of the same node. Returns false if it cannot. */
function joinLast(buffer: NewEvent[], [event, data]: NewEvent): boolean {
  const last = buffer.at(-1)
  if (event !== 'token' || last?.[0] !== 'token') return false
  if (last[1].node !== data.node || last[1].skill !== data.skill) return false
  const joined: [EventName, EventData] = [
    'token',
    { ...data, content: `${last[1].content}${data.content}` },
  ]
  buffer[buffer.length - 1] = joined
  return true
}
