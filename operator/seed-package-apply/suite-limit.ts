import type { Result } from '../runtime/controller.ts'
import { withJitter } from '../runtime/time.ts'

/** Requests to one collector-service at a time. */
const maxPerSuite = 2
const retryMs = 500

/**
 * Limits the reconciles of one suite, so that a collector-service that does not respond cannot occupy the
 * workers of other suites. A reconcile beyond the limit is requeued.
 */
export function makeSuiteLimit() {
  const running = new Map<string, number>()
  return async (suite: string, work: () => Promise<Result>): Promise<Result> => {
    const count = running.get(suite) ?? 0
    if (count >= maxPerSuite) return { requeueAfter: withJitter(retryMs) }
    running.set(suite, count + 1)
    try {
      return await work()
    } finally {
      const left = running.get(suite)! - 1
      if (left === 0) running.delete(suite)
      else running.set(suite, left)
    }
  }
}
