import type { Issue } from '../../_kit/fault.ts'
import { executors } from './executors/all.ts'
import type { Config, Data, Executor } from './executors/executor.ts'
import { limits, MiB, type Tree } from './library.ts'
import { type ManifestItem, type ManifestResult, parseJson, toIssues } from './manifest.ts'
import { resolvePackagePath } from './paths.ts'

/** An item with its request bodies, without `dry_run` and `source`. */
export interface ReadyItem {
  item_id: string
  kind: string
  depends_on: readonly string[]
  executor: Executor
  requests: object[]
}

/** Reads the files of all items and collects their issues. */
export async function readItems(manifestItems: ManifestResult['items'], tree: Tree) {
  const issues: Issue[] = []
  const items: ReadyItem[] = []
  const scopeOwners = new Map<string, string>()
  for (const [index, item] of manifestItems.entries()) {
    const executor = item && executors.get(item.kind)
    if (!executor) continue
    const reader = makePackageReader(tree, `items.${index}.config`, issues)
    const ready = await readItem(item, executor, reader)
    if (!ready) continue
    for (const scope of ready.exclusiveScopes) {
      const key = `${item.kind} ${scope}`
      const other = scopeOwners.get(key)
      if (other !== undefined) {
        const message = `Items ${other} and ${item.item_id} both import ${scope} and would remove each other's records. Merge them into one item.`
        issues.push({ path: `items.${index}.kind`, message })
      }
      scopeOwners.set(key, other ?? item.item_id)
    }
    items.push(ready.item)
  }
  return { items, issues }
}

async function readItem(item: ManifestItem, executor: Executor, reader: PackageReader) {
  const parsed = executor.Config.safeParse(item.config)
  if (!parsed.success) {
    reader.issues.push(...toIssues(parsed.error, reader.at))
    return null
  }
  const config: Config = parsed.data
  const before = reader.issues.length
  const data: Data = {}
  for (const [member, Schema] of Object.entries(executor.files)) {
    if (config[member] === undefined) continue
    const paths = [config[member]].flat() as string[]
    data[member] = []
    for (const path of paths) {
      const value = await reader.json(member, path)
      if (value === undefined) continue
      const file = Schema.safeParse(value)
      if (file.success) data[member].push(file.data)
      else reader.refuse(member, path, toIssues(file.error))
    }
  }
  if (reader.issues.length > before) return null
  return buildItem(item, executor, config, data, reader)
}

async function buildItem(
  item: ManifestItem,
  executor: Executor,
  config: Config,
  data: Data,
  reader: PackageReader,
) {
  const before = reader.issues.length
  const texts = new Map<string, string>()
  for (const path of executor.texts?.(data) ?? []) {
    texts.set(path, (await reader.text('content_file', path)) ?? '')
  }
  if (reader.bytes() > limits.fileBytes - MiB) {
    const message = `The files of the item have ${Math.ceil(reader.bytes() / MiB)} MiB; ${executor.service}-service accepts at most ${limits.fileBytes / MiB} MiB per request. Split the item into several packages or bases.`
    reader.issues.push({ path: reader.at, message })
  }
  if (reader.issues.length > before) return null
  const { item_id, kind, depends_on } = item
  try {
    const requests = executor.requests(config, data, texts)
    const exclusiveScopes = executor.exclusiveScopes?.(config, data) ?? []
    return { item: { item_id, kind, depends_on, executor, requests }, exclusiveScopes }
  } catch (thrown) {
    reader.issues.push({ path: reader.at, message: (thrown as Error).message })
    return null
  }
}

type PackageReader = ReturnType<typeof makePackageReader>

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads package files for one item. Problems are added to `issues`. */
function makePackageReader(tree: Tree, at: string, issues: Issue[]) {
  let bytes = 0
  const addIssues = (member: string, path: string, found: Issue[]) => {
    for (const { path: within, message } of found.slice(0, 50)) {
      const location = within ? `${path} at ${within}` : path
      issues.push({ path: `${at}.${member}`, message: `${location}: ${message}` })
    }
  }
  const one = (message: string) => [{ path: '', message }]

  async function read(member: string, path: string) {
    const relativePath = resolvePackagePath(path)
    const file = relativePath === null ? undefined : tree.files.get(relativePath)
    if (relativePath === null)
      addIssues(member, path, one('The path leaves the package directory.'))
    else if (!file) addIssues(member, path, one('File not found.'))
    if (!file || file.size > limits.fileBytes) return undefined
    bytes += file.size
    return file.read()
  }

  return {
    at,
    issues,
    refuse: addIssues,
    bytes: () => bytes,
    async json(member: string, path: string): Promise<unknown> {
      const content = await read(member, path)
      if (!content) return undefined
      const value = parseJson(content)
      if (value === undefined) addIssues(member, path, one('Not JSON.'))
      return value
    },
    async text(member: string, path: string): Promise<string | undefined> {
      const content = await read(member, path)
      if (!content) return undefined
      try {
        return utf8.decode(content)
      } catch {
        addIssues(member, path, one('Not UTF-8.'))
        return undefined
      }
    },
  }
}
