import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const packagesDirectory = resolve('seed_packages')

export interface DataFile {
  /** Path relative to the package directory. */
  path: string
  records: any[]
}

/** Reads all JSON files below a directory of a package. */
export function readDataFiles(packageId: string, directory: string): DataFile[] {
  const root = join(packagesDirectory, packageId)
  return readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const path = join(directory, name)
      return { path, records: JSON.parse(readFileSync(join(root, path), 'utf8')) }
    })
}

export const readManifest = (packageId: string) =>
  JSON.parse(readFileSync(join(packagesDirectory, packageId, 'manifest.json'), 'utf8'))

/** Data files that the items of a manifest reference. */
export function referencedFiles(manifest: any): string[] {
  return manifest.items
    .flatMap((item: any) => Object.values(item.config).flat())
    .flatMap((value: unknown) => /^\$\{PACKAGE_DIR\}\/(.+)$/.exec(String(value))?.[1] ?? [])
}
