import type { Sql } from '../../_kit/sql/sql.ts'
import { appendEvents, type RunEvent } from '../store/commit.ts'
import { type Lease, LeaseLost } from '../store/lease.ts'
import type { Hub } from './hub.ts'

export type EventName =
  | 'token'
  | 'progress'
  | 'task_start'
  | 'task_end'
  | 'card'
  | 'result'
  | 'error'
  | 'end'
type Data = Record<string, unknown>

export interface Emitter {
  /** Told at once: written, then heard. What an attempt that died told already is not told again. */
  emit(event: EventName, data: Data): void
  /** What was said in this step is void and will be said again from its beginning. */
  discardEmitted(): void
  /** Waits until all that was told is written. */
  flush(): Promise<void>
  /** The lines of these events and of all that is not written yet, for the step's own write. */
  finish(events: [EventName, Data][]): Promise<{ lines: RunEvent[]; seq: number }>
}

/**
 * Numbers a run's events and writes them while a step goes on, as many at a time as have come while the
 * last were being written. `already` is what an earlier attempt at this step told before it died.
 */
export function makeEmitter(
  { sql, hub }: { sql: Sql; hub: Hub },
  lease: () => Lease,
  previouslyEmitted: RunEvent[],
  seq: number,
  onLost: (thrown: unknown) => void,
): Emitter {
  let buffer: RunEvent[] = []
  let writing: Promise<void> | undefined
  const filter = makeReplayFilter(previouslyEmitted)

  const buildEvent = (event: EventName, data: Data): RunEvent => {
    seq++
    return { seq, line: JSON.stringify({ event, data: { ...data, seq } }) }
  }

  async function drain() {
    while (buffer.length > 0) {
      const lines = buffer
      buffer = []
      await appendEvents(sql, lease(), lines)
      hub.publish(lease().run_id, lines)
    }
  }

  return {
    emit(event, data) {
      for (const [name, rest] of filter.next(event, data)) buffer.push(buildEvent(name, rest))
      if (writing || buffer.length === 0) return
      writing = drain()
        .catch((thrown) =>
          onLost(thrown instanceof LeaseLost ? thrown : new LeaseLost('not written')),
        )
        .finally(() => {
          writing = undefined
        })
    },
    discardEmitted: filter.discardEmitted,
    async flush() {
      while (writing) await writing
    },
    async finish(events) {
      while (writing) await writing
      const lines = [...buffer, ...events.map(([event, data]) => buildEvent(event, data))]
      buffer = []
      return { lines, seq }
    },
  }
}

interface EmittedText {
  event: string
  node: unknown
  content: string
}

const toEmittedText = (event: string, data: Data): EmittedText =>
  event === 'token'
    ? { event, node: data.node, content: String(data.content) }
    : { event, node: null, content: JSON.stringify({ ...data, seq: undefined }) }

/** Compares what is said with what was said before, word by word, and passes on only what is new. */
function makeReplayFilter(previouslyEmitted: RunEvent[]) {
  let expected = previouslyEmitted.map(({ line }) => {
    const { event, data } = JSON.parse(line) as { event: string; data: Data }
    return toEmittedText(event, data)
  })
  /** The words of this attempt, by node, should they have to be said again. */
  const emittedByNode = new Map<unknown, string>()

  function next(event: EventName, data: Data): [EventName, Data][] {
    const incoming = toEmittedText(event, data)
    const before = emittedByNode.get(incoming.node) ?? ''
    if (event === 'token') emittedByNode.set(incoming.node, before + incoming.content)
    while (expected.length > 0 && incoming.content !== '') {
      const first = expected[0]!
      if (first.event !== event || first.node !== incoming.node)
        return restartText(event, data, before)
      if (event !== 'token') {
        if (first.content !== incoming.content) return restartText(event, data, before)
        expected.shift()
        return []
      }
      const shared = Math.min(first.content.length, incoming.content.length)
      if (first.content.slice(0, shared) !== incoming.content.slice(0, shared))
        return restartText(event, data, before)
      first.content = first.content.slice(shared)
      incoming.content = incoming.content.slice(shared)
      if (first.content === '') expected.shift()
    }
    if (event !== 'token') return [[event, data]]
    return incoming.content === '' ? [] : [[event, { ...data, content: incoming.content }]]
  }

  function restartText(event: EventName, data: Data, before: string): [EventName, Data][] {
    expected = []
    if (event !== 'token') return [[event, data]]
    const content = `\n\n${before}${String(data.content)}`
    return [
      ['progress', { node: data.node, message: 'The answer broke off and begins again.' }],
      [event, { ...data, content }],
    ]
  }

  return {
    next,
    discardEmitted() {
      expected = [...emittedByNode].map(([node, content]) => ({ event: 'token', node, content }))
      emittedByNode.clear()
    },
  }
}
