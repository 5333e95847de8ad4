import { LeaseLost } from '../store/lease.ts'
import type { Hub } from './hub.ts'

/**
 * Marks a run as driven by this process and returns the function that ends this. A process that takes over its own
 * run, because it did not renew the lease in time, ends its earlier attempt; the end of that attempt must not unmark
 * the run.
 */
export function trackRun(
  activeRuns: Map<string, AbortController>,
  hub: Pick<Hub, 'begin' | 'end'>,
  run_id: string,
  stop: AbortController,
): () => void {
  activeRuns.get(run_id)?.abort(new LeaseLost('this process took the run over'))
  activeRuns.set(run_id, stop)
  hub.begin(run_id)
  return () => {
    if (activeRuns.get(run_id) !== stop) return
    activeRuns.delete(run_id)
    hub.end(run_id)
  }
}
