import { constants, type Dirent, existsSync } from 'node:fs'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Issue } from '../../_kit/fault.ts'
import { type Library, limits, MiB, type PackageFile, type Tree } from './library.ts'
import { PackageId } from './manifest.ts'

const codeRoot = fileURLToPath(new URL('../../..', import.meta.url))

/** Library of the packages in a directory. Default: the bundled packages. */
export function directoryLibrary(directory: string | undefined): Library {
  const root = directory ?? defaultDirectory()
  return {
    async ids() {
      const entries = await readdir(root).catch(nullIfMissing)
      const named = (entries ?? []).filter(isId)
      return named.filter((id) => existsSync(join(root, id, 'manifest.json'))).sort()
    },
    async tree(packageId) {
      return isId(packageId) ? readTree(join(root, packageId)) : null
    },
  }
}

const isId = (name: string) => PackageId.safeParse(name).success

function defaultDirectory(): string {
  const candidates = [
    ...['resources/seed_packages', 'seed_packages'].map((candidate) => resolve(candidate)),
    join(codeRoot, 'seed_packages'),
  ]
  return candidates.find((candidate) => existsSync(candidate)) ?? candidates[1]!
}

/** Reads the file tree of a package. Links out of the package are issues. */
export async function readTree(directory: string): Promise<Tree | null> {
  const root = await realpath(directory).catch(nullIfMissing)
  if (!root || !(await stat(root)).isDirectory()) return null
  const scan: TreeScan = { files: new Map(), issues: [], bytes: 0 }
  await walk(root, '', scan)
  const { issues, bytes } = scan
  if (scan.files.size > limits.files) {
    issues.push({ path: '', message: `The package has more than ${limits.files} files.` })
  }
  if (bytes > limits.packageBytes) {
    issues.push({ path: '', message: `The package exceeds ${limits.packageBytes / MiB} MiB.` })
  }
  const files = new Map([...scan.files].sort(([one], [other]) => (one < other ? -1 : 1)))
  return { files, issues }
}

interface TreeScan {
  files: Map<string, PackageFile>
  issues: Issue[]
  bytes: number
}

async function walk(root: string, below: string, scan: TreeScan): Promise<void> {
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    if (scan.files.size > limits.files) return
    // A mounted ConfigMap stores its content in `..data` and links to it.
    if (entry.name.startsWith('..')) continue
    const path = below ? `${below}/${entry.name}` : entry.name
    if (entry.isDirectory()) await walk(root, path, scan)
    else await addFile(root, path, entry, scan)
  }
}

async function addFile(root: string, path: string, entry: Dirent, scan: TreeScan) {
  const real = await resolveInside(root, path)
  if (real === null) {
    scan.issues.push({
      path,
      message: 'The link is broken or leaves the package directory.',
    })
    return
  }
  const info = await stat(real)
  const { size } = info
  if (!info.isFile()) {
    const what = entry.isSymbolicLink()
      ? 'Links to directories are not allowed'
      : 'Not a regular file'
    scan.issues.push({ path, message: `${what}.` })
    return
  }
  if (size > limits.fileBytes) {
    const message = `The file has ${Math.ceil(size / MiB)} MiB; the limit is ${limits.fileBytes / MiB} MiB.`
    scan.issues.push({ path, message })
  }
  scan.bytes += size
  scan.files.set(path, { size, read: () => readInside(root, path) })
}

/** Resolves all links of a path. Returns null if it leaves the package. */
async function resolveInside(root: string, path: string): Promise<string | null> {
  const real = await realpath(join(root, path)).catch(nullIfMissing)
  return real?.startsWith(root + sep) ? real : null
}

/** Reads a file. Resolves its path again, because it may have been replaced since the scan. */
async function readInside(root: string, path: string): Promise<Uint8Array<ArrayBuffer>> {
  const real = await resolveInside(root, path)
  if (real === null) throw new Error(`${path} leaves the package directory`)
  await using file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW)
  const { size } = await file.stat()
  if (size > limits.fileBytes) throw new Error(`${path} grew during reading`)
  return new Uint8Array(await file.readFile())
}

function nullIfMissing(thrown: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(thrown.code ?? '')) return null
  throw thrown
}
