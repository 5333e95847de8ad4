import { makeMetrics } from '../../services/_kit/metrics.ts'
import { migrate } from '../../services/_kit/sql/migrate.ts'
import { openPglite, pgliteDriver } from '../../services/_kit/sql/pglite.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { makeSql } from '../../services/_kit/sql/sql.ts'
import { listen } from '../../services/_run/listen.ts'
import { makeLog } from '../../services/_run/log.ts'
import knowledge from '../../services/knowledge/service.ts'
import { createBenchBase, key } from './subject.ts'

/** knowledge-service in production mode, on a PostgreSQL server by URL or an embedded database by directory. */
const [database, cacheMebibytes] = process.argv.slice(2)
const driver = database!.startsWith('postgres:')
  ? postgresDriver(database!, 10)
  : pgliteDriver(await openPglite(database))
await migrate(driver, knowledge.folder, knowledge.schema)
await createBenchBase(makeSql(driver))
const started = knowledge.start({
  env: {
    ENVIRONMENT: 'production',
    INTERNAL_API_KEY: key,
    KNOWLEDGE_SEARCH_CACHE_MB: cacheMebibytes!,
  },
  database: driver,
  peers: () => () => Promise.reject(new Error('nobody else is here')),
  log: makeLog(knowledge.name, { LOG_LEVEL: 'info', LOG_FORMAT: 'json' }),
  metrics: makeMetrics(),
  runtime: 'node',
  version: '0',
})
process.on('message', async () => {
  while ((await started.tick()) > 0);
  process.send!({ settled: true })
})
const { port } = await listen(started.fetch, 0, '127.0.0.1')
process.send!({ port })
