import { Fault } from '../../_kit/fault.ts'
import type { Deps } from '../deps.ts'
import { Counts, Told } from './executors/executor.ts'
import type { ReadyItem } from './items.ts'

/** The request on whose behalf a run asks, if there is one. */
export type Trace = { requestId: string; traceparent: string } | undefined

export interface Asked {
  source: { package_id: string; version: string }
  dryRun: boolean
  trace: Trace
}

export type Outcome = { counts: Counts; digest: string; ms: number } | { error: string; ms: number }

/** Asks an item's target to do it, or to say what it would do. Only a fault of the target is an outcome. */
export async function askTarget(
  deps: Deps,
  { executor, requests }: ReadyItem,
  { source, dryRun, trace }: Asked,
): Promise<Outcome> {
  const begun = performance.now()
  const ms = () => Math.round(performance.now() - begun)
  const counts = Counts.parse({})
  const digests: string[] = []
  try {
    for (const request of requests) {
      const answer = await deps[executor.service].request(Told, executor.path, {
        method: 'POST',
        body: { ...request, dry_run: dryRun, source, digest: true },
        deadlineMs: deps.targetTimeoutMs,
        idempotent: true,
        ...(trace && { from: { headers: new Headers(), ...trace } }),
      })
      for (const member of countNames) counts[member] += answer[member]
      digests.push(answer.digest ?? '')
    }
    return { counts, digest: digests.join(' ').trim(), ms: ms() }
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return { error: `${thrown.code}: ${thrown.message}`.slice(0, 2_000), ms: ms() }
  }
}

const countNames = ['created', 'updated', 'unchanged', 'deleted'] as const

export const changes = ({ created, updated, deleted }: Counts) => created + updated + deleted

export const rowsOf = ({ created, updated, unchanged }: Counts) => created + updated + unchanged

/** Runs some tasks, at most so many at a time. */
export function turns(most: number) {
  let running = 0
  const waiting: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= most) await new Promise<void>((go) => waiting.push(go))
    running++
    try {
      return await work()
    } finally {
      running--
      waiting.shift()?.()
    }
  }
}

/** How many items of a package are under way at a time. */
export const atOnce = 4
