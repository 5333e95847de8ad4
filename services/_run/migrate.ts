import { parseArgs } from 'node:util'
import { parseConfig } from '../_kit/config.ts'
import { migrate, pendingMigrations } from '../_kit/sql/migrate.ts'
import type { Driver } from '../_kit/sql/sql.ts'
import { HostConfig } from './config.ts'
import { fail, openDatabase } from './host.ts'
import { makeLog } from './log.ts'
import { suite } from './services.ts'
import { waitForDatabase } from './wait-for-schema.ts'

/**
 * Applies the migrations of all services and exits. A cluster runs it before a rollout. `--plan` prints the
 * pending migrations and changes nothing. `--wait SECONDS` waits that long for a database that does not answer.
 */
async function main() {
  const { values } = parseArgs({
    options: {
      plan: { type: 'boolean', default: false },
      wait: { type: 'string', default: '0' },
    },
  })
  const config = parseConfig(HostConfig, process.env)
  const log = makeLog('migrate', config)
  const database = openDatabase(config)
  await waitForDatabase(database, Number(values.wait) * 1_000)
  if (values.plan) {
    await printPlan(database)
    return database.end()
  }
  for (const { name, folder, schema } of suite) {
    const applied = await migrate(database, folder, schema)
    log.info({ service: name, applied: applied.join(' ') }, 'schema is up to date')
  }
  await database.end()
}

async function printPlan(database: Driver) {
  for (const { name, folder, schema } of suite) {
    const pending = await pendingMigrations(database, folder, schema)
    if (pending.length === 0) console.log(`${name}: up to date`)
    for (const { file, statements } of pending) {
      console.log(
        `${name}: ${file}\n${statements.map((text) => `  ${text.split('\n')[0]}`).join('\n')}`,
      )
    }
  }
}

main().catch(fail)
