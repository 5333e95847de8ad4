import type { RunEvent } from '../store/commit.ts'

type Listener = (lines: RunEvent[]) => void

/** Tells those who follow a run in this process what has just been written of it. */
export interface Hub {
  publish(run_id: string, lines: RunEvent[]): void
  listen(run_id: string, listener: Listener): () => void
}

export function makeHub(): Hub {
  const listeners = new Map<string, Set<Listener>>()
  return {
    publish(run_id, lines) {
      if (lines.length > 0) for (const notify of listeners.get(run_id) ?? []) notify(lines)
    },
    listen(run_id, listener) {
      const own = listeners.get(run_id) ?? new Set()
      listeners.set(run_id, own.add(listener))
      return () => {
        own.delete(listener)
        if (own.size === 0) listeners.delete(run_id)
      }
    },
  }
}
