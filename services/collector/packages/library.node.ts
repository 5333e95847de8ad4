import { constants, type Dirent, existsSync } from 'node:fs'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Issue } from '../../_kit/fault.ts'
import { type Library, MiB, most, type PackageFile, type Tree } from './library.ts'
import { PackageId } from './manifest.ts'

const code = fileURLToPath(new URL('../../..', import.meta.url))

/** Packages in a directory; by default where this one has its own. */
export function directoryLibrary(given: string | undefined): Library {
  const root = given ?? ownDirectory()
  return {
    async ids() {
      const entries = await readdir(root).catch(orNothing)
      const named = (entries ?? []).filter(isId)
      return named.filter((id) => existsSync(join(root, id, 'manifest.json'))).sort()
    },
    async tree(packageId) {
      return isId(packageId) ? treeOf(join(root, packageId)) : null
    },
  }
}

const isId = (name: string) => PackageId.safeParse(name).success

function ownDirectory(): string {
  const places = [
    ...['resources/seed_packages', 'seed_packages'].map((place) => resolve(place)),
    join(code, 'seed_packages'),
  ]
  return places.find((place) => existsSync(place)) ?? places[1]!
}

/** Everything below a directory that may be read as part of the package. */
export async function treeOf(directory: string): Promise<Tree | null> {
  const root = await realpath(directory).catch(orNothing)
  if (!root || !(await stat(root)).isDirectory()) return null
  const found: Found = { files: new Map(), issues: [], bytes: 0 }
  await walk(root, '', found)
  const { issues, bytes } = found
  if (found.files.size > most.files) {
    issues.push({ path: '', message: `More than ${most.files} files.` })
  }
  if (bytes > most.packageBytes) {
    issues.push({ path: '', message: `Larger than ${most.packageBytes / MiB} MiB.` })
  }
  const files = new Map([...found.files].sort(([one], [other]) => (one < other ? -1 : 1)))
  return { files, issues }
}

interface Found {
  files: Map<string, PackageFile>
  issues: Issue[]
  bytes: number
}

async function walk(root: string, below: string, found: Found): Promise<void> {
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    if (found.files.size > most.files) return
    // A mounted ConfigMap keeps its content in `..data`, and links to it.
    if (entry.name.startsWith('..')) continue
    const path = below ? `${below}/${entry.name}` : entry.name
    if (entry.isDirectory()) await walk(root, path, found)
    else await keep(root, path, entry, found)
  }
}

async function keep(root: string, path: string, entry: Dirent, found: Found) {
  const real = await inside(root, path)
  if (real === null) {
    found.issues.push({
      path,
      message: 'A link that leaves the package directory, or leads nowhere.',
    })
    return
  }
  const facts = await stat(real)
  const { size } = facts
  if (!facts.isFile()) {
    const what = entry.isSymbolicLink() ? 'A link to a directory' : 'Neither a file nor a directory'
    found.issues.push({ path, message: `${what}.` })
    return
  }
  if (size > most.fileBytes) {
    const message = `Has ${Math.ceil(size / MiB)} MiB; a file may have ${most.fileBytes / MiB}.`
    found.issues.push({ path, message })
  }
  found.bytes += size
  found.files.set(path, { size, read: () => read(root, path) })
}

/** Where a path leads when all links are followed, if that is in the package. */
async function inside(root: string, path: string): Promise<string | null> {
  const real = await realpath(join(root, path)).catch(orNothing)
  return real?.startsWith(root + sep) ? real : null
}

/** Looks again where the path leads: it may have been swapped since the directory was walked. */
async function read(root: string, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const real = await inside(root, path)
  if (real === null) throw new Error(`${path} leaves the package directory`)
  await using file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW)
  const { size } = await file.stat()
  if (size > most.fileBytes) throw new Error(`${path} grew while it was read`)
  return new Uint8Array(await file.readFile())
}

function orNothing(thrown: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(thrown.code ?? '')) return null
  throw thrown
}
