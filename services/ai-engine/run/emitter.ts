import type { Sql } from '../../_kit/sql/sql.ts'
import { type Line, tell } from '../store/commit.ts'
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
  live(event: EventName, data: Data): void
  /** What was said in this step is void and will be said again from its beginning. */
  restart(): void
  /** Waits until all that was told is written. */
  settled(): Promise<void>
  /** The lines of these events and of all that is not written yet, for the step's own write. */
  finish(events: [EventName, Data][]): Promise<{ lines: Line[]; seq: number }>
}

/**
 * Numbers a run's events and writes them while a step goes on, as many at a time as have come while the
 * last were being written. `already` is what an earlier attempt at this step told before it died.
 */
export function makeEmitter(
  { sql, hub }: { sql: Sql; hub: Hub },
  lease: () => Lease,
  already: Line[],
  seq: number,
  lost: (thrown: unknown) => void,
): Emitter {
  let waiting: Line[] = []
  let writing: Promise<void> | undefined
  const script = makeScript(already)

  const lineOf = (event: EventName, data: Data): Line => {
    seq++
    return { seq, line: JSON.stringify({ event, data: { ...data, seq } }) }
  }

  async function write() {
    while (waiting.length > 0) {
      const lines = waiting
      waiting = []
      await tell(sql, lease(), lines)
      hub.publish(lease().run_id, lines)
    }
  }

  return {
    live(event, data) {
      for (const [name, rest] of script.next(event, data)) waiting.push(lineOf(name, rest))
      if (writing || waiting.length === 0) return
      writing = write()
        .catch((thrown) =>
          lost(thrown instanceof LeaseLost ? thrown : new LeaseLost('not written')),
        )
        .finally(() => {
          writing = undefined
        })
    },
    restart: script.restart,
    async settled() {
      while (writing) await writing
    },
    async finish(events) {
      while (writing) await writing
      const lines = [...waiting, ...events.map(([event, data]) => lineOf(event, data))]
      waiting = []
      return { lines, seq }
    },
  }
}

interface Said {
  event: string
  node: unknown
  content: string
}

const saidOf = (event: string, data: Data): Said =>
  event === 'token'
    ? { event, node: data.node, content: String(data.content) }
    : { event, node: null, content: JSON.stringify({ ...data, seq: undefined }) }

/** Compares what is said with what was said before, word by word, and passes on only what is new. */
function makeScript(already: Line[]) {
  let script = already.map(({ line }) => {
    const { event, data } = JSON.parse(line) as { event: string; data: Data }
    return saidOf(event, data)
  })
  /** The words of this attempt, by node, should they have to be said again. */
  const spoken = new Map<unknown, string>()

  function next(event: EventName, data: Data): [EventName, Data][] {
    const said = saidOf(event, data)
    const before = spoken.get(said.node) ?? ''
    if (event === 'token') spoken.set(said.node, before + said.content)
    while (script.length > 0 && said.content !== '') {
      const first = script[0]!
      if (first.event !== event || first.node !== said.node) return diverged(event, data, before)
      if (event !== 'token') {
        if (first.content !== said.content) return diverged(event, data, before)
        script.shift()
        return []
      }
      const shared = Math.min(first.content.length, said.content.length)
      if (first.content.slice(0, shared) !== said.content.slice(0, shared))
        return diverged(event, data, before)
      first.content = first.content.slice(shared)
      said.content = said.content.slice(shared)
      if (first.content === '') script.shift()
    }
    if (event !== 'token') return [[event, data]]
    return said.content === '' ? [] : [[event, { ...data, content: said.content }]]
  }

  function diverged(event: EventName, data: Data, before: string): [EventName, Data][] {
    script = []
    if (event !== 'token') return [[event, data]]
    const content = `\n\n${before}${String(data.content)}`
    return [
      ['progress', { node: data.node, message: 'The answer broke off and begins again.' }],
      [event, { ...data, content }],
    ]
  }

  return {
    next,
    restart() {
      script = [...spoken].map(([node, content]) => ({ event: 'token', node, content }))
      spoken.clear()
    },
  }
}
