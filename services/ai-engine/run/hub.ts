import * as z from 'zod'
import { numberArray, type Sql, textArray } from '../../_kit/sql/sql.ts'
import type { RunEvent } from '../store/commit.ts'

export interface Follower {
  /** The number of the last event that was read. */
  after(): number
  /** Takes events that were just committed. */
  onEvents(events: RunEvent[]): void
  /** There may be new events in the database, or the run has ended. */
  onWake(): void
}

/** Delivers events of runs to followers in this process. */
export interface Hub {
  /** Marks a run as driven by this process: its followers need no queries. */
  begin(run_id: string): void
  end(run_id: string): void
  publish(run_id: string, events: RunEvent[]): void
  follow(sql: Sql, run_id: string, follower: Follower): () => void
}

/** Interval of the one query for all followed runs that other processes drive. */
const pollMs = 200

export function makeHub(): Hub {
  const followers = new Map<string, Set<Follower>>()
  const local = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Database of the last follower. */
  let pollSql: Sql | undefined

  const remote = () => [...followers.keys()].filter((run_id) => !local.has(run_id))
  const wake = (run_id: string) => {
    for (const follower of followers.get(run_id) ?? []) follower.onWake()
  }

  function schedule() {
    const sql = pollSql
    if (!sql || timer !== undefined || remote().length === 0) return
    timer = setTimeout(() => void poll(sql), pollMs)
  }

  async function poll(sql: Sql) {
    const positions = remote().map((run_id) => ({
      run_id,
      after: Math.min(...[...followers.get(run_id)!].map((follower) => follower.after())),
    }))
    // A failed query is repeated with the next poll.
    const moved = positions.length === 0 ? [] : await findMoved(sql, positions).catch(() => [])
    for (const { run_id } of moved) wake(run_id)
    timer = undefined
    schedule()
  }

  return {
    begin: (run_id) => void local.add(run_id),
    end(run_id) {
      local.delete(run_id)
      wake(run_id)
      // Another process may continue the run.
      schedule()
    },
    publish(run_id, events) {
      if (events.length === 0) return
      for (const follower of followers.get(run_id) ?? []) follower.onEvents(events)
    },
    follow(sql, run_id, follower) {
      const own = followers.get(run_id) ?? new Set()
      followers.set(run_id, own.add(follower))
      pollSql = sql
      schedule()
      return () => {
        own.delete(follower)
        if (own.size === 0) followers.delete(run_id)
      }
    },
  }
}

const Moved = z.object({ run_id: z.string() })

/** Runs that have events after a position, or that are over. */
const findMoved = (sql: Sql, positions: { run_id: string; after: number }[]) => sql.rows(Moved)`
  select f.run_id from unnest(${textArray(positions.map(({ run_id }) => run_id))},
    ${numberArray(
      positions.map(({ after }) => after),
      'int4',
    )}) f (run_id, after)
  where exists (select from ai_engine.events e where e.run_id = f.run_id::uuid and e.seq > f.after)
    or not exists (
      select from ai_engine.runs r where r.run_id = f.run_id::uuid and r.status = 'running')`
