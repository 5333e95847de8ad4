import { parseConfig } from '../_kit/config.ts'
import { migrate } from '../_kit/sql/migrate.ts'
import { HostConfig } from './config.ts'
import { fail, openDatabase } from './host.ts'
import { makeLog } from './log.ts'
import { suite } from './services.ts'

/** Applies the migrations of all services and exits. A cluster runs it before a rollout. */
async function main() {
  const config = parseConfig(HostConfig, process.env)
  const log = makeLog('migrate', config.LOG_LEVEL)
  const database = openDatabase(config)
  for (const { name, folder, schema } of suite) {
    const applied = await migrate(database, folder, schema)
    log.info({ service: name, applied: applied.join(' ') }, 'schema is up to date')
  }
  await database.end()
}

main().catch(fail)
