import { Fault, type Issue, notFound } from '../../_kit/fault.ts'
import { type ReadyItem, readItems } from './items.ts'
import { type Library, limits, type Tree } from './library.ts'
import { type Manifest, readManifest } from './manifest.ts'

/** A valid package with the requests of its items. */
export interface Package {
  package_id: string
  manifest: Manifest
  checksum: string
  items: ReadyItem[]
  tree: Tree
}

export interface PackageInspection {
  manifest: Manifest | null
  /** Null if not all files could be read. */
  checksum: string | null
  items: ReadyItem[]
  issues: Issue[]
}

/** Reads a whole package and collects all its issues. */
export async function inspectPackage(tree: Tree, packageId: string): Promise<PackageInspection> {
  const read = await readManifest(tree, packageId)
  const { items, issues: inItems } = await readItems(read.items, tree)
  const issues = truncateIssues([...tree.issues, ...read.issues, ...inItems])
  const checksum = tree.issues.length > 0 ? null : await computeChecksum(tree)
  return { manifest: read.manifest, items, checksum, issues }
}

/** Limits the number of issues in a response. */
function truncateIssues(issues: Issue[]): Issue[] {
  if (issues.length <= limits.issues) return issues
  const message = `${issues.length - limits.issues} more issues.`
  return [...issues.slice(0, limits.issues), { path: '', message }]
}

export const packageNotFound = (packageId: string) => notFound(`seed package ${packageId}`)

export function manifestInvalid(packageId: string, issues: Issue[]): Fault {
  const [first] = issues
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  const where = first?.path ? `${first.path}: ` : ''
  const message = `The manifest of ${packageId} is invalid: ${where}${first?.message}${more}`
  return new Fault('MANIFEST_INVALID', message, { data: { package_id: packageId, issues } })
}

/** Opens a package. Throws NOT_FOUND or MANIFEST_INVALID. */
export async function openPackage(library: Library, packageId: string): Promise<Package> {
  const tree = await library.tree(packageId)
  if (!tree?.files.has('manifest.json')) throw packageNotFound(packageId)
  const { manifest, checksum, items, issues } = await inspectPackage(tree, packageId)
  if (issues.length > 0 || !manifest || checksum === null) throw manifestInvalid(packageId, issues)
  return { package_id: packageId, manifest, checksum, items, tree }
}

/** SHA-256 over the paths and contents of all files. */
async function computeChecksum({ files }: Tree): Promise<string> {
  const lines: string[] = []
  for (const [path, file] of files) lines.push(`${await sha256(await file.read())}  ${path}\n`)
  return sha256(new TextEncoder().encode(lines.join('')))
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes)
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
