import { silent } from '../services/_kit/log.ts'
import { makeMetrics } from '../services/_kit/metrics.ts'
import { migrate } from '../services/_kit/sql/migrate.ts'
import { postgresDriver } from '../services/_kit/sql/postgres.ts'
import { makeSql } from '../services/_kit/sql/sql.ts'
import { startPostgres } from '../tests/support/postgres-server.ts'
import { createDatabase, dropDatabase, versions } from './kit/postgres.ts'
import { type Subject, subjects } from './lists/subjects.ts'
import { formatCount, formatMs, quantile } from './support/figures.ts'
import type { Results, Table } from './support/results.ts'

const key = 'a-key-for-benches-only'
const headers = {
  'x-internal-api-key': key,
  'x-organization-id': 'o',
  'x-user-id': 'u',
  'x-user-type': 'lawyer',
  'x-permissions': 'collector:read,platform:manage',
}

/** Measures every list with each of its filters: the first page, and pages by cursor after it. */
export async function run({ quick }: { quick: boolean }): Promise<Results> {
  const rows = quick ? 10_000 : 1_000_000
  // A part at a time, since filling all lists takes longer than ten minutes.
  const only = process.env.BENCH_LISTS?.split(',')
  const chosen = subjects.filter(({ service }) => !only || only.includes(service.folder))
  const server = await startPostgres()
  try {
    const tables: Table[] = []
    for (const subject of chosen) tables.push(await measure(server.url, subject, rows))
    return { versions: await versions(server.url), tables }
  } finally {
    await server.stop()
  }
}

/** The organization of a request, if it is not the usual one. */
function formatNote({ headers }: NonNullable<Subject['others']>): string {
  const organization = headers['x-organization-id']
  return organization === undefined ? '' : ` (organization ${organization})`
}

/** Requests per list: one page by number, then pages by cursor. */
const requests = 100
/** A list that is slow is measured by fewer requests. */
const maxMs = 10_000

async function measure(server: string, subject: Subject, rows: number) {
  const { service, fill, paths, others } = subject
  const url = await createDatabase(server)
  const driver = postgresDriver(url, 4)
  await migrate(driver, service.folder, service.schema)
  const sql = makeSql(driver)
  for (const statement of fill(rows)) {
    await sql.transaction(async (sql) => {
      await sql`set local statement_timeout = 0`
      // Rows are their own check; checking a million references takes longer than writing the rows.
      await sql`set local session_replication_role = replica`
      await sql.statement(statement)
    })
  }
  await sql.transaction(async (sql) => {
    await sql`set local statement_timeout = 0`
    await sql.statement('analyze')
  })
  const env = {
    ENVIRONMENT: 'test',
    INTERNAL_API_KEY: key,
    FILES_DIR: '/tmp',
    FILES_STORAGE: 'fs',
    GATEWAY_RATE_USER: '1000000',
  }
  const { fetch } = service.start({
    env,
    database: driver,
    peers: () => () => Promise.reject(new Error('no peers')),
    log: silent,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })

  async function request(path: string, more: Record<string, string>) {
    const sent = { ...headers, ...more }
    const response = await fetch(new Request(`http://bench${path}`, { headers: sent }))
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`)
    return JSON.parse(text).data as { total: number; next_cursor: string | null }
  }

  const lists = [
    ...paths.map((path) => ({ path, more: {}, note: '' })),
    ...(others?.paths ?? []).map((path) => ({
      path,
      more: others!.headers,
      note: formatNote(others!),
    })),
  ]
  const measured: string[][] = []
  for (const { path, more, note } of lists) {
    const times: number[] = []
    let cursor: string | null = null
    let total = 0
    const deadline = performance.now() + maxMs
    for (let nth = 0; nth < requests + 5; nth++) {
      const joined = path.includes('?') ? '&' : '?'
      const startedAt = performance.now()
      const page = await request(cursor ? `${path}${joined}cursor=${cursor}` : path, more)
      if (nth >= 5) times.push(performance.now() - startedAt)
      cursor = page.next_cursor
      total = page.total
      if (performance.now() > deadline && times.length > 0) break
    }
    const shown = path.replace('/api/v1', '').replace(/0190b8f4[\w-]+/g, '{id}')
    const [p50, p99] = [0.5, 0.99].map((share) => formatMs(quantile(times, share)))
    measured.push([shown + note, formatCount(total), p50!, p99!])
  }
  await driver.end()
  await dropDatabase(url)
  return {
    title: `${service.name}, ${formatCount(rows)} rows`,
    head: ['list', 'total', 'p50', 'p99'],
    rows: measured,
    notes: [
      `Rows of one organization. ${requests} sequential requests, fewer where they take longer than ${maxMs / 1000} s: the first page, then pages by cursor, each with 20 items and the total. Totals beyond 10,000 are estimates. Goal: a p99 of at most 50 ms.`,
    ],
  }
}
