import { runJobs } from '../../services/_kit/jobs.ts'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { makeSql } from '../../services/_kit/sql/sql.ts'

/** A worker that claims a job, prints `taken` and never finishes it. */
await runJobs({
  sql: makeSql(postgresDriver(process.argv[2]!, 2)),
  schema: 'memory',
  deps: null,
  handlers: {
    stuck: () => {
      console.log('taken')
      return new Promise(() => setInterval(() => {}, 1_000))
    },
  },
  log: silent,
  metrics: makeMetrics(),
  leaseMs: 1_000,
})
