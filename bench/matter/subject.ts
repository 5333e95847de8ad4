import { newId } from '../../services/_kit/ids.ts'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { migrate } from '../../services/_kit/sql/migrate.ts'
import type { Driver, MigrationDriver, Param } from '../../services/_kit/sql/sql.ts'
import matter from '../../services/matter/service.ts'

const headers = {
  'x-internal-api-key': 'a-key-for-the-bench-only',
  'x-organization-id': 'bench',
  'x-user-type': 'lawyer',
  'content-type': 'application/json',
}

export interface Statement {
  text: string
  params: Param[]
}

export type Subject = Awaited<ReturnType<typeof open>>

/** Starts matter-service on a database and records its statements. */
export async function open(driver: MigrationDriver) {
  await migrate(driver, matter.folder, matter.schema)
  let recording: Statement[] | undefined
  const withRecording =
    (query: Driver['query']): Driver['query'] =>
    (text, params) => {
      recording?.push({ text, params })
      return query(text, params)
    }
  const { fetch } = matter.start({
    env: { ENVIRONMENT: 'production', INTERNAL_API_KEY: headers['x-internal-api-key'] },
    database: {
      ...driver,
      transaction: (work) => driver.transaction((query) => work(withRecording(query))),
    },
    peers: () => () => Promise.reject(new Error('nobody else is here')),
    log: silent,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })
  const request = async (path: string, body: string) => {
    const request = new Request(`http://bench${path}`, { method: 'POST', headers, body })
    const response = await fetch(request)
    const { data } = (await response.json()) as { data: any }
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(data)}`)
    return data
  }
  const sync = (id: string, body: string) =>
    request(`/api/v1/internal/matters/${id}/sync/all`, body)
  return {
    driver,
    sync,
    make: async (): Promise<string> =>
      (await request('/api/v1/matters', JSON.stringify({ title: 'Bench', user_id: 'bench' }))).id,
    /** Statements of one sync in order of execution. */
    async record(id: string, body: string): Promise<Statement[]> {
      recording = []
      await sync(id, body)
      const statements = recording
      recording = undefined
      return statements
    },
  }
}

const uuid = /[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g

/** Rewrites recorded statements for another matter; all other ids are replaced by new ones. */
export const statementsFor = (template: Statement[], from: string, to: string): Statement[] =>
  template.map(({ text, params }) => ({
    text,
    params: params.map((param) =>
      typeof param === 'string' ? param.replace(uuid, (id) => (id === from ? to : newId())) : param,
    ),
  }))

/** Executes the statements in one transaction. */
export const replay = (driver: Driver, statements: Statement[]) =>
  driver.transaction(async (query) => {
    for (const { text, params } of statements) await query(text, params)
  })
