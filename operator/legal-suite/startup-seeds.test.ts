import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startFakeCollector } from '../testing/fake-collector.ts'
import { eventually, settleDelay, startOperator, startReadySuite } from '../testing/fixtures.ts'
import { buildSuite } from '../testing/suites.ts'
import { makeStartupSeedReader } from './startup-seeds.ts'

const startupRun = (status: string, packageStatus = 'applied') => ({
  run_id: `run-${status}`,
  status,
  requested_by: 'startup',
  finished_at: null,
  packages: [{ package_id: 'one', version: '2026-01-01', status: packageStatus, items: [] }],
})
const seeds = { packageIds: ['one'] }
const dev = { environment: 'dev', seeds } as const

async function startCollector(...runs: object[]) {
  const collector = await startFakeCollector()
  collector.listedRuns.push(...runs)
  onTestFinished(async () => void (await collector.stop()))
  return { collectorAddress: collector.address }
}

test('the status names the packages that collector-service reports as applied', async () => {
  const byUser = { ...startupRun('failed'), requested_by: 'operator' }
  const at = await startReadySuite({ seeds }, await startCollector(byUser, startupRun('succeeded')))
  await eventually(() =>
    expect(at.get('LegalSuite', 'demo').status.seeds).toEqual({
      packageIds: ['one'],
      state: 'Applied',
      runId: 'run-succeeded',
      packages: [{ packageId: 'one', version: '2026-01-01', status: 'applied' }],
    }),
  )
  expect(at.ready()?.status).toBe('True')
})

test('a suite whose startup seeds failed is stalled and names the packages', async () => {
  const at = startOperator(await startCollector(startupRun('failed', 'failed')))
  await at.secret('db', { url: 'postgres://x' })
  await at.suite(dev)
  await eventually(async () => {
    await at.settle()
    expect(at.ready()).toMatchObject({ status: 'False', reason: 'SeedsFailed' })
    expect(at.ready()!.message).toContain('one')
    expect(at.get('LegalSuite', 'demo').status.seeds.state).toBe('Failed')
  })
})

test('a failed startup run is replaced by the run of the restarted collector-service', async () => {
  const seen: number[] = []
  const read = makeStartupSeedReader({ address: await listRuns(seen), intervalMs: 10 }).read
  const states = () =>
    read(buildSuite(dev as never), 'rollout', async () => 'key').run?.status ?? 'unknown'
  await eventually(() => expect(states()).toBe('failed'))
  await eventually(() => expect(states()).toBe('succeeded'))
  const requests = seen.length
  await settleDelay()
  expect(states()).toBe('succeeded')
  expect(seen).toHaveLength(requests)
})

test('a run without the configured packages belongs to an earlier rollout', async () => {
  const address = await serve((_, response) =>
    response.end(JSON.stringify({ data: { items: [startupRun('succeeded')] } })),
  )
  const { read } = makeStartupSeedReader({ address, intervalMs: 10 })
  const suite = buildSuite({ seeds: { packageIds: ['one', 'two'] } })
  read(suite, 'rollout', async () => 'key')
  await settleDelay()
  expect(read(suite, 'rollout', async () => 'key').run).toBeUndefined()
})

test('the internal key does not follow a redirect', async () => {
  const received: unknown[] = []
  const other = await serve((request, response) => {
    received.push(request.headers['x-internal-api-key'])
    response.end('{}')
  })
  const address = await serve((request, response) =>
    response.writeHead(307, { location: `${other}${request.url}` }).end(),
  )
  const { read } = makeStartupSeedReader({ address })
  read(buildSuite(dev as never), 'rollout', async () => 'the-key')
  await settleDelay()
  expect(received).toEqual([])
})

/** A collector-service whose first startup run has failed and whose second one succeeds. */
const listRuns = (seen: number[]) =>
  serve((_, response) => {
    const run = seen.length < 2 ? startupRun('failed', 'failed') : startupRun('succeeded')
    seen.push(1)
    response.end(JSON.stringify({ data: { items: [run] } }))
  })

async function serve(handle: RequestListener) {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a collector that does not respond delays no suite', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    silent.closeAllConnections()
    silent.close()
  })
  const { port } = silent.address() as AddressInfo
  const at = await startReadySuite(dev, { collectorAddress: `http://127.0.0.1:${port}` })
  expect(at.get('LegalSuite', 'demo').status.seeds).toEqual({
    packageIds: ['one'],
    state: 'Started',
  })
})
