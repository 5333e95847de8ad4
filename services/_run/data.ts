import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ConfigError } from '../_kit/config.ts'
import { openPglite, pgliteDriver } from '../_kit/sql/pglite.ts'
import type { Driver } from '../_kit/sql/sql.ts'
import type { HostConfig } from './config.ts'
import { openDatabase } from './host.ts'
import { lock } from './lock.ts'

export interface Data {
  driver: Driver
  /** The internal key kept with the data, for when the environment names none. */
  key: string
  where: string
  keyLocation: string
  close(): Promise<void>
}

/** The data directory: the embedded database unless DATABASE_URL names another, and the internal key. */
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
  const unlock = lock(join(directory, 'lock'))
  const db = await openPglite(join(directory, 'postgres')).catch((cause: unknown) => {
    unlock()
    throw new ConfigError(`The embedded database in ${directory} can't be opened: ${String(cause)}`)
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
    throw new ConfigError(`DATA_DIR: ${directory} can't be used (${code}); choose another.`)
  }
}

/** Made once, readable by us alone. */
function readOrCreateKey(file: string): string {
  try {
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
  }
  return readFileSync(file, 'utf8').trim()
}
