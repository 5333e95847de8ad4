import type { Metrics } from '../metrics.ts'
import type { Driver } from './sql.ts'

const ok = { outcome: 'ok' }
const failed = { outcome: 'failed' }

/** The same driver, with its queries counted and timed. */
export function timed(driver: Driver, metrics: Metrics): Driver {
  const watch =
    (query: Driver['query']): Driver['query'] =>
    async (text, params) => {
      const started = performance.now()
      let outcome = ok
      try {
        return await query(text, params)
      } catch (thrown) {
        outcome = failed
        throw thrown
      } finally {
        metrics.time('db_query_seconds', outcome, performance.now() - started)
      }
    }
  return {
    query: watch((text, params) => driver.query(text, params)),
    begin: (work) => driver.begin((query) => work(watch(query))),
    end: () => driver.end(),
  }
}
