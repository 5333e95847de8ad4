import type { Metrics } from '../metrics.ts'
import type { Driver } from './sql.ts'

const ok = { outcome: 'ok' }
const failed = { outcome: 'failed' }

/** Wraps a driver to count and time its queries. */
export function withQueryMetrics(driver: Driver, metrics: Metrics): Driver {
  const watch =
    (query: Driver['query']): Driver['query'] =>
    (text, params) => {
      const started = performance.now()
      const note = (outcome: typeof ok) =>
        metrics.time('db_query_seconds', outcome, performance.now() - started)
      const pending = query(text, params)
      pending.then(
        () => note(ok),
        () => note(failed),
      )
      return pending
    }
  return {
    query: watch((text, params) => driver.query(text, params)),
    transaction: (work) => driver.transaction((query) => work(watch(query))),
    end: () => driver.end(),
  }
}
