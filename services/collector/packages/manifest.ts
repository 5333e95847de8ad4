import * as z from 'zod'
import type { Issue } from '../../_kit/fault.ts'
import { executors } from './executors/all.ts'
import { findCycles } from './graph.ts'
import { limits, type Tree } from './library.ts'

export const PackageId = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.)){0,99}$/,
    'Must consist of letters, digits and _ - . , at most 100.',
  )

const ItemId = z
  .string()
  .regex(
    /^[A-Za-z0-9][\w.:-]{0,199}$/,
    'Must consist of letters, digits and _ . : - , at most 200.',
  )

export const ManifestItem = z.object({
  item_id: ItemId,
  kind: z.string().min(1).max(200),
  depends_on: z.array(z.string().max(200)).max(limits.items).default([]),
  config: z.record(z.string(), z.unknown()).default({}),
})
export type ManifestItem = z.output<typeof ManifestItem>

const ManifestFields = z.object({
  schema_version: z.literal(1, 'Must be 1.'),
  package_id: PackageId,
  name: z.string().min(1).max(200),
  version: z.iso.date('Must be a date: YYYY-MM-DD.'),
  description: z.string().max(20_000).optional(),
})

export const Manifest = ManifestFields.extend({ items: z.array(ManifestItem) }).meta({
  id: 'SeedManifest',
})
export type Manifest = z.output<typeof Manifest>

export interface ManifestResult {
  manifest: Manifest | null
  /** Items by position; undefined for a malformed item. */
  items: (ManifestItem | undefined)[]
  issues: Issue[]
}

/** Reads and validates the manifest of a package, without the files it refers to. */
export async function readManifest(tree: Tree, packageId: string): Promise<ManifestResult> {
  const file = tree.files.get('manifest.json')
  if (!file) return singleIssue('manifest.json', 'File not found.')
  if (file.size > limits.manifestBytes)
    return singleIssue('manifest.json', 'The manifest exceeds 16 MiB.')
  const value = parseJson(await file.read())
  if (value === undefined) return singleIssue('manifest.json', 'Not JSON.')
  return parseManifest(value, packageId)
}

const singleIssue = (path: string, message: string): ManifestResult => ({
  manifest: null,
  items: [],
  issues: [{ path, message }],
})

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}

export function parseManifest(value: unknown, packageId: string): ManifestResult {
  const fields = ManifestFields.safeParse(value)
  const issues = fields.success ? [] : toIssues(fields.error)
  if (fields.success && fields.data.package_id !== packageId) {
    issues.push({ path: 'package_id', message: `Must equal the directory name ${packageId}.` })
  }
  const input = (value as { items?: unknown } | null)?.items
  const items = parseItems(input, issues)
  const valid = items.filter((item) => item !== undefined)
  return { manifest: fields.success ? { ...fields.data, items: valid } : null, items, issues }
}

function parseItems(input: unknown, issues: Issue[]): ManifestResult['items'] {
  if (!Array.isArray(input)) {
    issues.push({ path: 'items', message: 'Must be a list.' })
    return []
  }
  if (input.length > limits.items) {
    const message = `The package has ${input.length} items; the limit is ${limits.items}.`
    issues.push({ path: 'items', message })
    return []
  }
  const items = input.map((each, index) => {
    const parsed = ManifestItem.safeParse(each)
    if (!parsed.success) issues.push(...toIssues(parsed.error, `items.${index}`))
    return parsed.data
  })
  checkReferences(items, issues)
  return items
}

function checkReferences(items: ManifestResult['items'], issues: Issue[]) {
  const seen = new Set<string>()
  const itemIds = new Set(items.flatMap((item) => item?.item_id ?? []))
  items.forEach((item, index) => {
    if (!item) return
    const at = `items.${index}`
    if (seen.has(item.item_id)) {
      issues.push({ path: `${at}.item_id`, message: `Duplicate item_id ${item.item_id}.` })
    }
    seen.add(item.item_id)
    if (!executors.has(item.kind)) {
      issues.push({ path: `${at}.kind`, message: `Unknown kind ${item.kind}.` })
    }
    item.depends_on.forEach((need, place) => {
      if (itemIds.has(need)) return
      const path = `${at}.depends_on.${place}`
      issues.push({ path, message: `Unknown item ${need}.` })
    })
  })
  const nodes = items.filter((item) => item !== undefined)
  for (const cycle of findCycles(nodes)) {
    issues.push({ path: 'items', message: `Dependency cycle: ${cycle}.` })
  }
}

export const toIssues = (error: z.ZodError, below = ''): Issue[] =>
  error.issues.map((issue) => ({
    path: [below, ...issue.path].filter((part) => part !== '').join('.'),
    message: issue.message,
  }))
