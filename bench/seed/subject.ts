import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import type { Service } from '../../services/_kit/service.ts'
import type { Driver, Param } from '../../services/_kit/sql/sql.ts'
import collector from '../../services/collector/service.ts'
import knowledge from '../../services/knowledge/service.ts'

const key = 'a-key-for-the-bench-only'

interface Statement {
  text: string
  params: Param[]
}

/** Statements of knowledge-service, one list per transaction. */
export type Recording = Statement[][]

const paths: Record<string, string> = {
  structured: '/api/v1/internal/seed/structured/import',
  documents: '/api/v1/internal/seed/system-kb-documents/import',
}

/** Starts collector-service and knowledge-service on a database in this process. */
export function open(driver: Driver, directory: string) {
  let recording: Recording | undefined
  const recordingDriver: Driver = {
    ...driver,
    transaction: (work) =>
      driver.transaction((query) => {
        const statements: Statement[] = []
        recording?.push(statements)
        return work((text, params) => {
          statements.push({ text, params })
          return query(text, params)
        })
      }),
  }
  const start = (
    service: Service,
    database: Driver,
    peer?: (request: Request) => Promise<Response>,
  ) =>
    service.start({
      env: { ENVIRONMENT: 'production', INTERNAL_API_KEY: key, SEED_PACKAGES_DIR: directory },
      database,
      peers: () => peer ?? (() => Promise.reject(new Error('no peers'))),
      log: silent,
      metrics: makeMetrics(),
      runtime: 'node',
      version: '0',
    })
  const target = start(knowledge, recordingDriver)
  const { fetch } = start(collector, driver, async (request) => target.fetch(request))

  async function post(
    to: (request: Request) => Response | Promise<Response>,
    path: string,
    body: string,
  ) {
    const headers = { 'x-internal-api-key': key, 'content-type': 'application/json' }
    const response = await to(new Request(`http://bench${path}`, { method: 'POST', headers, body }))
    const envelope = (await response.json()) as { data: { status?: string } }
    const failed = envelope.data?.status !== undefined && envelope.data.status !== 'succeeded'
    if (!response.ok || failed) throw new Error(`${path}: ${JSON.stringify(envelope)}`)
  }
  const readBody = (name: string) => {
    const data = JSON.parse(readFileSync(join(directory, name, 'data/data.json'), 'utf8'))
    const source = { package_id: name, version: '2026-01-01' }
    return JSON.stringify(
      name === 'structured'
        ? { litigation_elements: data, source }
        : { kb: { name: 'sys_bench' }, documents: data, source },
    )
  }
  return {
    /** Plans and applies a package. */
    apply: (name: string) =>
      post(
        fetch,
        '/api/v1/internal/seed-packages/apply-internal',
        JSON.stringify({ package_ids: [name] }),
      ),
    /** Imports without collector-service. */
    import: (name: string) => post(target.fetch, paths[name]!, readBody(name)),
    async record(name: string): Promise<Recording> {
      recording = []
      await post(target.fetch, paths[name]!, readBody(name))
      const recorded = recording
      recording = undefined
      return recorded
    },
  }
}

/** Baseline: replays the recorded statements in their transactions. */
export async function replay(driver: Driver, recording: Recording) {
  for (const statements of recording) {
    await driver.transaction(async (query) => {
      for (const { text, params } of statements) await query(text, params)
    })
  }
}
