import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { enqueue } from '../services/_kit/jobs.ts'
import { makeSql, type Sql } from '../services/_kit/sql/sql.ts'
import { buildEdge } from '../services/_run/build.ts'
import { services } from '../services/_run/services.ts'
import memory from '../services/memory/service.ts'
import platform from '../services/platform/service.ts'
import { type Database, newDatabase } from './support/databases.ts'
import { freePort } from './support/free-port.ts'
import { run } from './support/process.ts'
import { binary, type Runtime, startProcess, waitUntilReady } from './support/runtimes.ts'
import { key } from './support/stage.ts'
import { startWebSocketProxy } from './support/websocket-proxy.ts'

let database: Database
let sql: Sql
beforeAll(async () => {
  database = await newDatabase('postgres')
  sql = makeSql(database.driver)
})
afterAll(() => database.drop())

const start = (runtime: Runtime, env: Record<string, string> = {}) =>
  startProcess(runtime, memory, { INTERNAL_API_KEY: key, DATABASE_URL: database.url, ...env }, {})

const buildRequest = (path: string, init: RequestInit = {}, at = 'http://test') =>
  new Request(`${at}/api/v1/internal/${path}`, {
    ...init,
    headers: { 'x-internal-api-key': key, 'x-organization-id': 'acme', ...init.headers },
  })

describe.each(['node', 'deno', 'workerd'] as const)('a service on %s', (runtime) => {
  test('reports its runtime and exits with 0 on SIGTERM', async () => {
    const running = await start(runtime)
    const response = await running.fetch(buildRequest('actuator/info'))
    expect(await response.json()).toMatchObject({ service: 'memory-service', runtime })
    expect(await running.tick()).toBe(0)
    await running.close()
    expect(await running.process.exit).toBe(0)
  })

  test('that cannot start reports the invalid variable', async () => {
    const starting = start(runtime, { ENVIRONMENT: 'nowhere' })
    await expect(starting).rejects.toThrow(/Invalid configuration:.*ENVIRONMENT/s)
  })
})

describe.each(['node', 'deno'] as const)('a process on %s', (runtime) => {
  test('completes running requests after SIGTERM and exits', async () => {
    const running = await start(runtime)
    const body = JSON.stringify({
      user_id: 7,
      scope: 'global',
      entity_key: `stopped.on.${runtime}`,
      category: 'preference',
      content: 'told just in time',
    })
    const headers = { 'content-type': 'application/json' }
    const answer = await sql.transaction(async (transaction) => {
      await transaction`lock table memory.facts in access exclusive mode`
      const answer = running.fetch(buildRequest('memory/facts', { method: 'POST', body, headers }))
      await expect.poll(waitingLocks, { timeout: 10_000 }).toHaveLength(1)
      running.process.signal('SIGTERM')
      await running.process.waitForOutput('stopping')
      return { soon: answer }
    })
    expect((await answer.soon).status).toBe(201)
    expect(await running.process.exit).toBe(0)
    await running.close()
  })

  test('exits within the grace period while endless jobs use every connection', async () => {
    const env = {
      ...{ INTERNAL_API_KEY: key, DATABASE_URL: database.url, DATABASE_POOL: '2' },
      ...{ BACKGROUND: 'true', SHUTDOWN_GRACE_MS: '3000' },
    }
    const running = await startProcess(runtime, platform, env, {})
    await sql.transaction(async (transaction) => {
      await transaction`lock table platform.audit_logs in access exclusive mode`
      for (const organization of ['one', 'other']) {
        const payload = { id: crypto.randomUUID(), organization }
        await enqueue(sql, 'platform', { kind: 'verify_audit_chain', payload })
      }
      await expect.poll(waitingLocks, { timeout: 20_000 }).toHaveLength(2)
      running.process.signal('SIGTERM')
      const tooLate = setTimeout(15_000, 'too late', { ref: false })
      expect(await Promise.race([running.process.exit, tooLate])).toBe(0)
    })
    await running.close()
  })
})

test('the edge build of the suite runs on workerd with one port per service', async () => {
  await using resources = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-built-'))
  resources.defer(() => rmSync(directory, { recursive: true }))
  const relay = resources.adopt(await startWebSocketProxy(), (relay) => relay.close())
  await buildEdge(services, directory)

  const deployments = await Promise.all(
    services.map(async ({ name }) => ({ name, address: `127.0.0.1:${await freePort()}` })),
  )
  const sockets = deployments.map(({ name, address }) => `--socket-addr=${name}=${address}`)
  const suite = run(binary('workerd'), ['serve', join(directory, 'suite.capnp'), ...sockets], {
    INTERNAL_API_KEY: key,
    DATABASE_URL: database.url,
    NEON_WS_PROXY: relay.address,
    // workerd has no directories. No test request reads or writes files.
    FILES_STORAGE: 's3',
    S3_BUCKET: 'files',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'secret',
  })
  resources.defer(() => suite.stop())

  for (const { name, address } of deployments) {
    await waitUntilReady(suite, address)
    const response = await fetch(buildRequest('actuator/info', {}, `http://${address}`))
    expect(await response.json()).toMatchObject({ service: name, runtime: 'workerd' })
  }
})

const waitingLocks = () => sql`
  select pid from pg_locks where not granted
    and database = (select oid from pg_database where datname = current_database())`
