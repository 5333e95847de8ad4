import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { canonicalJson } from '../../services/_kit/hash.ts'
import type { Peer } from '../../services/_kit/peer.ts'
import collector from '../../services/collector/service.ts'
import { type Options, stage } from './stage.ts'

export const internal = '/api/v1/internal/seed-packages'

/** A temporary directory of seed packages. */
export function newLibrary() {
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-packages-'))
  return {
    directory,
    put(packageId: string, files: Record<string, unknown>) {
      const root = join(directory, packageId)
      rmSync(root, { recursive: true, force: true })
      for (const [path, content] of Object.entries(files)) {
        const file = join(root, path)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
      }
    },
    drop: () => rmSync(directory, { recursive: true, force: true }),
  }
}

export interface TestItem {
  item_id: string
  kind?: string
  depends_on?: string[]
  config?: object
}

export const manifest = (package_id: string, items: TestItem[], more: object = {}) => ({
  schema_version: 1,
  package_id,
  name: `The package ${package_id}`,
  version: '2026-01-31',
  items,
  ...more,
})

/** A manifest item that imports `data/<item_id>.json` as configs. */
export const configsItem = (item_id: string, depends_on: string[] = []) => ({
  item_id,
  kind: 'platform.seed.system_configs.upsert',
  depends_on,
  config: { configs_json: `\${PACKAGE_DIR}/data/${item_id}.json` },
})

/** A package whose items import configs: `{item: {key: value}}`. */
export function configsPackage(
  packageId: string,
  items: Record<string, Record<string, unknown>>,
  dependencies: Record<string, string[]> = {},
) {
  const ids = Object.keys(items)
  return {
    'manifest.json': manifest(
      packageId,
      ids.map((id) => configsItem(id, dependencies[id])),
    ),
    ...Object.fromEntries(
      ids.map((id) => [
        `data/${id}.json`,
        Object.entries(items[id]!).map(([key, value]) => ({ key, value })),
      ]),
    ),
  }
}

/** Stub of the target services. Stores records by key and returns the counts that the real services return. */
export function makeTargets() {
  const rows = new Map<string, { owner: string | null; record: string }>()
  const state = {
    down: false,
    rejectBodiesWith: new Set<string>(),
    /** Ids of bases that do not exist. */
    missingBases: new Set<string>(),
  }
  const requests: { path: string; body: any }[] = []

  function applyRecords(path: string, body: any) {
    const { dry_run, digest, source, ...lists } = body
    const owner = path.includes('/seed/') ? (source?.package_id ?? null) : null
    const counts = { created: 0, updated: 0, unchanged: 0, deleted: 0 }
    const incoming = new Map<string, string>()
    for (const [name, list] of Object.entries(lists).filter(([, list]) => Array.isArray(list))) {
      for (const record of list as any[]) {
        const { key, element_id, item_id, code, document_id } = record
        const id = key ?? element_id ?? item_id ?? code ?? document_id ?? canonicalJson(record)
        incoming.set(`${path} ${lists.kb?.name ?? ''} ${name} ${id}`, canonicalJson(record))
      }
    }
    for (const [key, record] of incoming) {
      const existing = rows.get(key)
      counts[!existing ? 'created' : existing.record === record ? 'unchanged' : 'updated']++
      if (!dry_run) rows.set(key, { owner, record })
    }
    for (const [key, row] of owner === null ? [] : rows) {
      if (row.owner !== owner || !key.startsWith(`${path} ${lists.kb?.name ?? ''} `)) continue
      if (incoming.has(key)) continue
      counts.deleted++
      if (!dry_run) rows.delete(key)
    }
    return counts
  }

  const fault = (status: number, code: string) =>
    Response.json({ code, message: 'Stubbed fault.', data: null }, { status })

  const peer: Peer = async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname.endsWith('/readiness')) {
      return state.down ? fault(503, 'INTERNAL') : Response.json({ status: 'UP' })
    }
    const body = JSON.parse(await request.text())
    requests.push({ path: pathname, body })
    if (state.down) return fault(503, 'UPSTREAM_UNAVAILABLE')
    if (state.missingBases.has(body.kb_id)) return fault(404, 'NOT_FOUND')
    const text = JSON.stringify(body)
    if ([...state.rejectBodiesWith].some((word) => text.includes(word)))
      return fault(400, 'VALIDATION_FAILED')
    return Response.json({ code: 0, message: 'ok', data: applyRecords(pathname, body) })
  }
  return {
    peer,
    requests: requests,
    state,
    /** Requests without `dry_run`. */
    writes: () => requests.filter(({ body }) => !body.dry_run),
    /** Stored records by key. */
    storedRecords: () =>
      Object.fromEntries([...rows].map(([key, { record }]) => [key, record]).sort()),
  }
}

export async function stageCollector(options: Options = {}) {
  const library = newLibrary()
  const targets = makeTargets()
  const at = await stage(collector, {
    ...options,
    env: { SEED_PACKAGES_DIR: library.directory, ...options.env },
    peers: {
      'platform-service': targets.peer,
      'knowledge-service': targets.peer,
      ...options.peers,
    },
  })
  return {
    ...at,
    library,
    targets,
    get: (path: string, headers = {}) => at.call('GET', path, { headers }),
    post: (path: string, body: unknown = {}, headers: Record<string, string | undefined> = {}) =>
      at.call('POST', path, { body, headers }),
    apply: (package_ids: string[], more: object = {}, headers = {}) =>
      at.call('POST', `${internal}/apply-internal`, { body: { package_ids, ...more }, headers }),
    async close() {
      await at.close()
      library.drop()
    },
  }
}

export type CollectorStage = Awaited<ReturnType<typeof stageCollector>>
