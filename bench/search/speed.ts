import { formatCount, formatMs, mean, quantile } from '../support/figures.ts'

/** Questions for the warm-up and other questions for the measurement. */
export interface QuestionSet {
  warmup: string[]
  timed: string[]
}

/** Runs the queries sequentially for at most `seconds` seconds. Returns milliseconds per query. */
export async function measureTimes(
  queries: readonly string[],
  search: (query: string) => Promise<unknown>,
  seconds = Number.POSITIVE_INFINITY,
): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  for (const query of queries) {
    const startedAt = performance.now()
    await search(query)
    times.push(performance.now() - startedAt)
    if (performance.now() > end) break
  }
  return times
}

export const searchesPerSecond = (times: readonly number[]) => 1000 / mean(times)

/** Table cells: searches per second, p50 and p99. */
export const formatTimings = (times: readonly number[]) => [
  searchesPerSecond(times) < 10
    ? searchesPerSecond(times).toFixed(1)
    : formatCount(searchesPerSecond(times)),
  formatMs(quantile(times, 0.5)),
  formatMs(quantile(times, 0.99)),
]
