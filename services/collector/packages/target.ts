import { Fault } from '../../_kit/fault.ts'
import { printable } from '../../_kit/identity.ts'
import type { Deps } from '../deps.ts'
import { Counts, TargetResponse } from './executors/executor.ts'
import type { ReadyItem } from './items.ts'

/** Trace context of the request that started the run, if any. */
export type Trace = { requestId: string; traceparent: string } | undefined

export interface TargetCall {
  source: { package_id: string; version: string }
  dryRun: boolean
  trace: Trace
  /** Who requested the run; the target records it as the actor. */
  actor?: string
}

export type TargetOutcome =
  | { counts: Counts; digest: string; ms: number }
  | { error: string; ms: number }

/**
 * Applies an item at its target service, or plans it in a dry run. A fault of the target is an outcome; other
 * errors are thrown.
 */
export async function callTarget(
  deps: Deps,
  { executor, requests }: ReadyItem,
  { source, dryRun, trace, actor }: TargetCall,
): Promise<TargetOutcome> {
  const startedAt = performance.now()
  const ms = () => Math.round(performance.now() - startedAt)
  const counts = Counts.parse({})
  const digests: string[] = []
  try {
    for (const request of requests) {
      const response = await deps[executor.service].request(TargetResponse, executor.path, {
        method: 'POST',
        body: { ...request, dry_run: dryRun, source, digest: true },
        deadlineMs: deps.targetTimeoutMs,
        idempotent: true,
        ...(actor && printable.test(actor) && { headers: { 'x-user-id': actor } }),
        ...(trace && { from: { headers: new Headers(), ...trace } }),
      })
      for (const member of countNames) counts[member] += response[member]
      digests.push(response.digest ?? '')
    }
    return { counts, digest: digests.join(' ').trim(), ms: ms() }
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    return { error: `${thrown.code}: ${thrown.message}`.slice(0, 2_000), ms: ms() }
  }
}

const countNames = ['created', 'updated', 'unchanged', 'deleted'] as const

export const changeCount = ({ created, updated, deleted }: Counts) => created + updated + deleted

export const rowCount = ({ created, updated, unchanged }: Counts) => created + updated + unchanged

/** Maximum number of concurrent items per package. */
export const maxConcurrentItems = 4
