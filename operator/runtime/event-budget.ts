import { makeTokenBucket } from './queue.ts'

type Budget = { take(): number; at: number }

/** Events of one budget that are written at once. Afterwards one a minute. */
const burst = 25
const perSecond = 1 / 60

/**
 * Limits the rate of Events. Each Warning reason of an object has its own budget, so that frequent Events
 * never hold back a Warning of another reason. All Normal Events of an object share one budget.
 */
export function makeEventBudgets() {
  const budgets = new Map<string, Budget>()
  return {
    budgets,
    /** Takes one Event from the budget. Returns false if none is left. */
    take(name: string, now: number): boolean {
      const budget = budgets.get(name) ?? { ...makeRateLimiter(), at: now }
      budget.at = now
      budgets.set(name, budget)
      return budget.take() === 0
    },
  }
}

/** A token bucket in which rejected callers consume nothing. */
function makeRateLimiter() {
  let bucket = makeTokenBucket(perSecond, burst)
  let freeAt = 0
  return {
    take() {
      const now = performance.now()
      if (now < freeAt) return freeAt - now
      const waitMs = bucket.take()
      if (waitMs > 0) {
        freeAt = now + waitMs
        bucket = makeTokenBucket(perSecond, 1)
      }
      return waitMs
    },
  }
}
