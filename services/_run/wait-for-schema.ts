import { setTimeout as sleep } from 'node:timers/promises'
import { toFault } from '../_kit/fault.ts'
import type { Log } from '../_kit/log.ts'
import type { Service } from '../_kit/service.ts'
import { pendingMigrations } from '../_kit/sql/migrate.ts'
import type { Driver } from '../_kit/sql/sql.ts'

/**
 * Waits until another process has applied the migrations of a service. A chart starts the database, the
 * migration and the services at the same time. There is no deadline: the startup probe has one.
 */
export async function waitForSchema(
  database: Driver,
  { folder, schema }: Pick<Service, 'folder' | 'schema'>,
  log: Pick<Log, 'info'>,
  intervalMs = 1_000,
): Promise<void> {
  let reported: string | undefined
  for (;;) {
    const reason = await findReason(database, folder, schema)
    if (reason === undefined) return
    if (reason !== reported) log.info({ reason }, 'waiting for the schema')
    reported = reason
    await sleep(intervalMs)
  }
}

/** Waits until the database answers. Throws the last error after `deadlineMs`. */
export async function waitForDatabase(
  database: Driver,
  deadlineMs: number,
  intervalMs = 1_000,
): Promise<void> {
  const until = Date.now() + deadlineMs
  for (;;) {
    try {
      await database.query('select 1', [])
      return
    } catch (thrown) {
      if (toFault(thrown).code !== 'UPSTREAM_UNAVAILABLE' || Date.now() >= until) throw thrown
    }
    await sleep(intervalMs)
  }
}

/** Returns why the service cannot start yet. */
async function findReason(database: Driver, folder: string, schema: string) {
  try {
    const [next] = await pendingMigrations(database, folder, schema)
    return next && `${next.file} is pending`
  } catch (thrown) {
    const { code, message } = toFault(thrown)
    if (code !== 'UPSTREAM_UNAVAILABLE') throw thrown
    return message
  }
}
