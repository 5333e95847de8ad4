import { makeMetrics } from '../../services/_kit/metrics.ts'
import { migrate } from '../../services/_kit/sql/migrate.ts'
import { openPglite, pgliteDriver } from '../../services/_kit/sql/pglite.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import type { Driver, MigrationDriver } from '../../services/_kit/sql/sql.ts'
import { listen } from '../../services/_run/listen.ts'
import { makeLog } from '../../services/_run/log.ts'
import { startLoop } from '../../services/_run/loop.ts'
import memory from '../../services/memory/service.ts'
import { makeBareHandler } from './bare.ts'
import { key } from './requests.ts'

/** One server under load: `full` is memory-service in production mode, `bare` only its SQL. */
const [kind, database] = process.argv.slice(2)
const driver = await open(database!)
await migrate(driver, memory.folder, memory.schema)
const { port } = await listen(
  kind === 'full' ? full(driver) : await makeBareHandler(driver),
  0,
  '127.0.0.1',
)
process.send!({ port })

/** Opens a PostgreSQL server by URL or an embedded database by directory. */
async function open(database: string): Promise<MigrationDriver> {
  return database.startsWith('postgres:')
    ? postgresDriver(database, 10)
    : pgliteDriver(await openPglite(database))
}

function full(database: Driver) {
  const log = makeLog(memory.name, { LOG_LEVEL: 'info', LOG_FORMAT: 'json' })
  const started = memory.start({
    env: { ENVIRONMENT: 'production', INTERNAL_API_KEY: key },
    database,
    peers: () => () => Promise.reject(new Error('nobody else is here')),
    log,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })
  startLoop(started, log)
  return started.fetch
}
