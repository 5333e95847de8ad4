import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startFakeCollector } from '../testing/fake-collector.ts'
import { eventually, startOperator, startReadySuite } from '../testing/fixtures.ts'

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
