import type { Metrics } from '../metrics.ts'
import type { Driver } from './sql.ts'

const ok = { outcome: 'ok' }
const failed = { outcome: 'failed' }

/** Wraps a driver to count and time its queries. */
export function withQueryMetrics(driver: Driver, metrics: Metrics): Driver {
  const measure =
    (query: Driver['query']): Driver['query'] =>
    (text, params, options) => {
      const started = performance.now()
      const record = (outcome: typeof ok) =>
        metrics.time('db_query_seconds', outcome, performance.now() - started)
      const pending = query(text, params, options)
      pending.then(
        () => record(ok),
        () => record(failed),
      )
      return pending
    }
  return {
    query: measure((text, params, options) => driver.query(text, params, options)),
    transaction: (work) => driver.transaction((query) => work(measure(query))),
    end: () => driver.end(),
  }
}
