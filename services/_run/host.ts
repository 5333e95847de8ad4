import { readFileSync } from 'node:fs'
import { ConfigError } from '../_kit/config.ts'
import { Fault, toFault } from '../_kit/fault.ts'
import { neonDriver } from '../_kit/sql/neon.ts'
import { postgresDriver } from '../_kit/sql/postgres.ts'
import type { MigrationDriver } from '../_kit/sql/sql.ts'
import type { HostConfig } from './config.ts'

export const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

export function openDatabase(config: HostConfig): MigrationDriver {
  if (!config.DATABASE_URL)
    throw new ConfigError('DATABASE_URL is required: the URL of a PostgreSQL server.')
  return config.DATABASE_DRIVER === 'neon'
    ? neonDriver(config.DATABASE_URL, config.DATABASE_POOL, config.NEON_WS_PROXY)
    : postgresDriver(config.DATABASE_URL, config.DATABASE_POOL)
}

/** Part of the grace period that is reserved for releasing jobs and closing the database. */
const reserveMs = (graceMs: number) => Math.min(1_000, graceMs / 3)

/**
 * Runs `stop` once on SIGTERM or SIGINT and exits, at the latest after `graceMs`: a statement that waits for a
 * lock must not delay the end of the process. A second signal exits at once.
 */
export function onStop(stop: (workMs: number) => Promise<void>, graceMs: number) {
  let stopping = false
  const handleSignal = () => {
    if (stopping) process.exit(1)
    stopping = true
    setTimeout(() => process.exit(0), graceMs).unref()
    stop(graceMs - reserveMs(graceMs)).then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    )
  }
  process.on('SIGTERM', handleSignal)
  process.on('SIGINT', handleSignal)
}

/** Prints one line for a configuration error and a stack trace for any other error. */
export function fail(thrown: unknown): never {
  const error = thrown as NodeJS.ErrnoException
  console.error(describeStartError(error))
  process.exit(1)
}

/** One line for an error that an administrator can mend, a stack trace for any other. */
export function describeStartError(
  error: NodeJS.ErrnoException & { port?: number; address?: string },
): string {
  if (error.code === 'EADDRINUSE') return `Port ${error.port} is in use; set PORT to another.`
  if (error.code === 'EACCES' && error.port)
    return `Port ${error.port} may not be used; set PORT to another.`
  if (error instanceof ConfigError) return error.message
  if (error.code === 'ECONNREFUSED') return 'The database is not reachable at DATABASE_URL.'
  const { code, message } = toFault(error)
  return error instanceof Fault || code === 'UPSTREAM_UNAVAILABLE'
    ? message
    : (error.stack ?? String(error))
}
