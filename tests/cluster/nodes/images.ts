import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildImage, readBaseImage } from '../../../packaging/image/archive.ts'
import { baseImageScript, clusterCache } from '../local-scripts.ts'
import { postgresContainer, postgresEntries } from './postgres-image.ts'

const repository = resolve(import.meta.dirname, '../../..')
const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))

/** Tags of the image: the version of the repository, and another one for upgrades. */
export const versions = {
  current: manifest.version as string,
  next: `${manifest.version}-next`,
}
const tags = [`legal-suite:${versions.current}`, `legal-suite:${versions.next}`]

const buildSuiteImage = (...args: string[]) =>
  execFileSync('npm', ['run', 'image', '--', ...tags.flatMap((tag) => ['--tag', tag]), ...args], {
    cwd: repository,
    stdio: ['ignore', 'ignore', 'inherit'],
  })

/** Builds the image with a container engine. Nodes pull the images of backends themselves. */
export function buildWithEngine(): string[] {
  buildSuiteImage()
  return tags
}

/** Writes archives of the image and of a stand-in for PostgreSQL, for nodes that reach no registry. */
export async function buildArchives(directory: string): Promise<string[]> {
  const base = join(clusterCache, 'base/node.tar')
  execFileSync(baseImageScript, [base], { cwd: repository, stdio: ['ignore', 'ignore', 'inherit'] })
  const suite = join(directory, 'legal-suite-test.tar')
  buildSuiteImage('--archive', suite, '--base-archive', base)
  const postgres = join(directory, 'legal-suite-test-postgres.tar')
  const { archive } = buildImage(
    readBaseImage(readFileSync(base)),
    [{ name: 'postgres', entries: postgresEntries() }],
    postgresContainer,
    ['docker.io/pgvector/pgvector:0.8.1-pg18'],
  )
  writeFileSync(postgres, archive)
  return [suite, postgres]
}
