import { readFileSync } from 'node:fs'

interface LockedPackage {
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

/** Dependencies that no process of the image loads. */
const unused: Record<string, string> = {
  '@electric-sql/pglite': 'the embedded database of `npm start`',
  '@electric-sql/pglite-pgvector': 'the embedded database of `npm start`',
  '@tanstack/virtual-core': 'part of the bundle of the web console',
  esbuild: 'builds the web console',
  marked: 'part of the bundle of the web console',
  preact: 'part of the bundle of the web console',
  '@kubernetes/client-node': 'part of the bundle of the operator',
  typescript: 'a peer of packages that only declare types with it',
}

const isUsed = (name: string) => !(name in unused) && !name.startsWith('@types/')

/** The folders of all packages that the services need at run time, as the lockfile places them. */
export function productionPackages(lockfile: string): string[] {
  const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(
    readFileSync(lockfile, 'utf8'),
  )
  const found = new Set<string>()
  const visit = (folder: string) => {
    const { dependencies, peerDependencies, peerDependenciesMeta } = packages[folder]!
    const peers = Object.keys(peerDependencies ?? {}).filter(
      (name) => !peerDependenciesMeta?.[name]?.optional,
    )
    for (const name of [...Object.keys(dependencies ?? {}), ...peers].filter(isUsed)) {
      const resolved = resolveFolder(packages, folder, name)
      if (found.has(resolved)) continue
      found.add(resolved)
      visit(resolved)
    }
  }
  visit('')
  return [...found].sort()
}

/** Node's lookup: the `node_modules` of the package itself, then those of the folders above it. */
function resolveFolder(packages: Record<string, unknown>, from: string, name: string): string {
  for (let folder = from; ; folder = folder.replace(/\/?node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const candidate = `${folder ? `${folder}/` : ''}node_modules/${name}`
    if (candidate in packages) return candidate
    if (!folder) throw new Error(`${from} needs ${name}, which is not in the lockfile`)
  }
}
