import { formatCount, formatMs, mean, quantile } from '../support/figures.ts'

/** Questions to get warm with, and others to time. */
export interface QuestionSet {
  warmup: string[]
  timed: string[]
}

/** Asks one question after another, for so many seconds at most. */
export async function measureTimes(
  queries: readonly string[],
  ask: (query: string) => Promise<unknown>,
  seconds = Number.POSITIVE_INFINITY,
): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  for (const query of queries) {
    const begun = performance.now()
    await ask(query)
    times.push(performance.now() - begun)
    if (performance.now() > end) break
  }
  return times
}

export const rateOf = (times: readonly number[]) => 1000 / mean(times)

/** Searches a second, p50 and p99, as cells of a table. */
export const cellsOf = (times: readonly number[]) => [
  rateOf(times) < 10 ? rateOf(times).toFixed(1) : formatCount(rateOf(times)),
  formatMs(quantile(times, 0.5)),
  formatMs(quantile(times, 0.99)),
]
