import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError } from '../_kit/config.ts'
import { openPglite, pgliteDriver } from '../_kit/sql/pglite.ts'
import type { MigrationDriver } from '../_kit/sql/sql.ts'
import type { HostConfig } from './config.ts'
import { openDatabase } from './host.ts'
import { lock } from './lock.ts'

export interface Data {
  driver: MigrationDriver
  /** Internal key stored in the data directory, used if the environment has none. */
  key: string
  where: string
  keyLocation: string
  close(): Promise<void>
}

/** Opens the data directory: the internal key and, without DATABASE_URL, the embedded database. */
export async function openData(config: HostConfig): Promise<Data> {
  const directory = resolve(config.DATA_DIR)
  ensureWritable(directory)
  const fromEnvironment = process.env.INTERNAL_API_KEY || process.env.INTERNAL_API_KEY_DIR
  const key = fromEnvironment ? '' : readOrCreateKey(join(directory, 'internal-api-key'))
  const keyLocation = fromEnvironment ? 'from the environment' : join(directory, 'internal-api-key')
  if (config.DATABASE_URL) {
    const driver = openDatabase(config)
    await driver.query('select 1', [])
    const close = () => driver.end()
    return { driver, key, keyLocation, where: 'the PostgreSQL server of DATABASE_URL', close }
  }
  const unlock = lock(join(directory, 'data.lock'))
  const db = await openPglite(join(directory, 'postgres')).catch((cause: unknown) => {
    unlock()
    throw new ConfigError(`Cannot open the embedded database in ${directory}: ${String(cause)}`)
  })
  return {
    driver: pgliteDriver(db),
    key,
    keyLocation,
    where: directory,
    async close() {
      await db.close()
      unlock()
    },
  }
}

function ensureWritable(directory: string) {
  try {
    mkdirSync(directory, { recursive: true })
    const probe = join(directory, 'writable')
    writeFileSync(probe, '')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new ConfigError(
      `DATA_DIR: ${directory} is not writable (${code}). Choose another directory.`,
    )
  }
}

/** Created once with mode 0600. */
function readOrCreateKey(file: string): string {
  try {
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
  }
  return readFileSync(file, 'utf8').trim()
}
