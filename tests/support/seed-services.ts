import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import type { Peer } from '../../services/_kit/peer.ts'
import { type Driver, makeSql } from '../../services/_kit/sql/sql.ts'
import collector from '../../services/collector/service.ts'
import knowledge from '../../services/knowledge/service.ts'
import platform from '../../services/platform/service.ts'
import { newDatabase } from './databases.ts'
import { key } from './stage.ts'

/** Starts collector-service and its targets in this process on one embedded database. */
export async function startSeedServices(env: Record<string, string>) {
  const database = await newDatabase('pglite')
  const started = startSeedServicesOn(database.driver, env)
  return {
    ...started,
    sql: makeSql(database.driver),
    driver: database.driver,
    close: database.drop,
  }
}

export function startSeedServicesOn(driver: Driver, env: Record<string, string>) {
  const running = new Map<string, Peer>()
  const [, , seeder] = [platform, knowledge, collector].map((service) => {
    const started = service.start({
      env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key, ...env },
      database: driver,
      peers: (name) => (request) => {
        const peer = running.get(name)
        if (!peer) throw new Error(`${name} does not run here`)
        return peer(request)
      },
      log: silent,
      metrics: makeMetrics(),
      runtime: 'node',
      version: '0',
    })
    running.set(service.name, started.fetch)
    return started
  })
  async function call(service: string, method: string, path: string, body?: unknown) {
    const response = await running.get(service)!(
      new Request(`http://test${path}`, {
        method,
        headers: {
          'x-internal-api-key': key,
          'x-organization-id': 'acme',
          'x-is-superuser': 'true',
          'content-type': 'application/json',
        },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    )
    return { status: response.status, ...((await response.json()) as { code: any; data: any }) }
  }
  return {
    call,
    afterListen: () => seeder!.afterListen(),
    tick: () => seeder!.tick(),
    apply: (package_ids: string[], more: object = {}) =>
      call('collector-service', 'POST', '/api/v1/internal/seed-packages/apply-internal', {
        package_ids,
        ...more,
      }),
    /** Makes a service unreachable for its peers. */
    disconnect: (name: string) => running.delete(name),
  }
}

export type SeedServices = Awaited<ReturnType<typeof startSeedServices>>

/** `xmin` and `ctid` of every row of the schemas: equal results mean that nothing was written. */
export async function readRowVersions(
  { sql }: Pick<SeedServices, 'sql'>,
  schemas: string[],
): Promise<unknown[]> {
  const rows: unknown[] = []
  for (const schema of schemas) {
    rows.push(
      ...(await sql`select table_name, query_to_xml(
          format('select t.xmin, t.ctid from %I.%I t order by 2', table_schema, table_name),
          true, true, '')::text as written
        from information_schema.tables
        where table_schema = ${schema} and table_type = 'BASE TABLE' order by table_name`),
    )
  }
  return rows
}
