import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describe as describeApi } from '../services/_kit/openapi.ts'
import { services } from '../services/_run/services.ts'
import { sampleBodies } from './support/sample-body.ts'
import type { Stage } from './support/stage.ts'
import { fixtures, secret, systemMark } from './support/tenancy-fixtures.ts'

/** A lawyer of another organization with every permission. */
const rival = {
  'x-organization-id': 'somebody-else',
  'x-user-id': 'rival',
  'x-user-type': 'lawyer',
  'x-permissions': 'collector:manage,platform:manage',
}
/** Another client of the same organization. */
const mallory = { 'x-organization-id': 'acme', 'x-user-id': 'mallory', 'x-user-type': 'client' }

/** This stream never ends. The tests of platform-service show who receives what. */
const endlessStream = '/api/v1/events'

type CallResult = Awaited<ReturnType<Stage['call']>>

test('every service has a fixture', () => {
  const names = fixtures.map(({ service }) => service.name).sort()
  expect(names).toEqual(services.map(({ name }) => name).sort())
})

describe.each(fixtures)('$service.name', ({ service, open, fill, fillSystem }) => {
  const document = describeApi(service.name, '0', service.endpoints)
  let at: Stage
  let ids: Record<string, unknown>
  let systemIds: Record<string, unknown> | undefined
  beforeAll(async () => {
    at = await open()
    ids = await fill(at)
    systemIds = await fillSystem?.(at)
  })
  afterAll(() => at.close())

  /** Requests of an endpoint that refer to the owner's records, from its API description. */
  function buildRequests(
    { method, path, spec }: (typeof service.endpoints)[number],
    ids: Record<string, unknown>,
  ) {
    const url = path.replace(/:(\w+)(\{[^/]*\})?/g, (_, name: string) => String(ids[name] ?? 'x'))
    if (!spec.body) return [{ method: method.toUpperCase(), url, body: undefined }]
    const described = path.replace(/:(\w+)(\{[^/]*\})?/g, '{$1}')
    const operation = (document.paths as any)[described]?.[method]
    const { schema, example } = operation.requestBody.content['application/json']
    const own = { organization_id: 'somebody-else', tenant_id: 'somebody-else' }
    const values = { ...own, ...ids }
    const bodies = sampleBodies(schema, document, values, example ?? schema.examples?.[0])
    return bodies.map((body) => ({ method: method.toUpperCase(), url, body }))
  }

  const endpoints = service.endpoints
    .filter(({ path }) => path !== endlessStream)
    .map((each) => [`${each.method} ${each.path}`, each] as const)
  const external = endpoints.filter(([, { path }]) => !path.includes('/internal/'))

  async function send(
    endpoint: (typeof service.endpoints)[number],
    headers: Record<string, string | undefined>,
    targets = ids,
  ): Promise<CallResult[]> {
    const answers: CallResult[] = []
    for (const { method, url, body } of buildRequests(endpoint, targets)) {
      answers.push(await at.call(method, url, { headers, ...(body === undefined ? {} : { body }) }))
    }
    return answers
  }

  test.each(endpoints)('another organization reads and changes nothing by %s', async (_, each) => {
    const before = await readRows(at, service.schema, 'acme')
    const answers = await send(each, rival)
    // If every body is rejected as invalid, the test proves nothing.
    if (each.spec.body) expect(answers.filter(({ status }) => status !== 400)).not.toEqual([])
    for (const { status, text } of answers) {
      expect(text).not.toContain(secret)
      expect([500, 502, 504]).not.toContain(status)
    }
    expect(await readRows(at, service.schema, 'acme')).toEqual(before)
  })

  const unseeded = fillSystem ? endpoints.filter(([, { path }]) => !path.includes('/seed/')) : []
  test.each(unseeded)('nobody changes records of the system by %s', async (_, each) => {
    const before = await readRows(at, service.schema, systemMark)
    for (const headers of [rival, mallory]) await send(each, headers, { ...ids, ...systemIds })
    expect(await readRows(at, service.schema, systemMark)).toEqual(before)
  })

  test.each(external)('another client reads and changes nothing by %s', async (_, each) => {
    const before = await readRows(at, service.schema, 'owner-7')
    for (const { status, text } of await send(each, mallory)) {
      expect(text).not.toContain(secret)
      expect([500, 502, 504]).not.toContain(status)
    }
    expect(await readRows(at, service.schema, 'owner-7')).toEqual(before)
  })
})

/** Rows that contain a text, as text by table. Jobs and idempotency keys are not records. */
async function readRows({ sql }: Stage, schema: string, text: string): Promise<string[]> {
  const rows = await sql`select query_to_xml(
      format('select * from %I.%I t where t::text like ''%%%s%%'' order by t::text', table_schema, table_name, ${text}::text),
      true, true, '')::text as content
    from information_schema.tables where table_schema = ${schema} and table_type = 'BASE TABLE'
    order by table_name`
  return rows.map(({ content }) => String(content))
}
