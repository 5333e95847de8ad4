import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  buildRun,
  errorResponse,
  okResponse,
  startFakeCollector,
} from '../testing/fake-collector.ts'
import {
  condition,
  eventually,
  settleDelay,
  startOperator,
  startReadySuite,
  waitUntilReady,
} from '../testing/fixtures.ts'

let collector: Awaited<ReturnType<typeof startFakeCollector>>
beforeEach(async () => {
  collector = await startFakeCollector()
})
afterEach(() => collector.stop())

const ready = () => startReadySuite({}, { collectorAddress: collector.address })
const waitUntilFinished = (at: ReturnType<typeof startOperator>, name = 'seeds') =>
  eventually(() => expect(at.get('SeedPackageApply', name).status?.finishedAt).toBeDefined())
const readStatus = (at: ReturnType<typeof startOperator>, name = 'seeds') =>
  at.get('SeedPackageApply', name).status

describe('SeedPackageApply', () => {
  test('a run is requested with the internal key and its result is recorded', async () => {
    const at = await ready()
    await at.seed({ packageIds: ['one', 'two'], force: true })
    await waitUntilFinished(at)
    const key = atob(at.get('Secret', 'demo-internal-key').data.current)
    expect(collector.requests).toHaveLength(1)
    const status = readStatus(at)
    expect(collector.requests[0]).toEqual({
      key,
      request: { run_id: status.runId, package_ids: ['one', 'two'], dry_run: false, force: true },
    })
    expect(status).toMatchObject({
      phase: 'Succeeded',
      planHash: 'plan-1',
      changes: '+4 ~2 -0',
      itemsTotal: 2,
      itemsFailed: 0,
      packages: [
        { id: 'one', status: 'applied' },
        { id: 'two', status: 'applied' },
      ],
    })
    expect(status.items[0]).toMatchObject({ package: 'one', item: 'item-0', created: 2 })
    expect(condition(at.get('SeedPackageApply', 'seeds'), 'Ready')).toMatchObject({
      status: 'True',
    })
    expect(JSON.stringify(at.get('SeedPackageApply', 'seeds'))).not.toContain(key)
  })

  test('an apply waits until its suite exists and is ready', async () => {
    const at = startOperator({ collectorAddress: collector.address })
    await at.seed()
    await eventually(() =>
      expect(condition(at.get('SeedPackageApply', 'seeds'), 'Ready')?.reason).toBe('SuiteNotFound'),
    )
    await at.secret('db', { url: 'x' })
    await at.suite()
    await eventually(() =>
      expect(condition(at.get('SeedPackageApply', 'seeds'), 'Ready')?.reason).toBe(
        'CollectorNotReady',
      ),
    )
    expect(collector.requests).toEqual([])
    await waitUntilReady(at)
    await waitUntilFinished(at)
    expect(readStatus(at).phase).toBe('Succeeded')
  })

  test('a finished apply is not requested again', async () => {
    const at = await ready()
    await at.seed()
    await waitUntilFinished(at)
    await at.patch('SeedPackageApply', 'seeds', { metadata: { annotations: { touched: 'yes' } } })
    await settleDelay()
    expect(collector.requests).toHaveLength(1)
  })

  test('the run id is persisted before its first use and kept', async () => {
    const at = await ready()
    const written: unknown[] = []
    collector.faults.push((request) => {
      written.push([request.run_id, readStatus(at)?.runId])
      return written.length < 3 ? 'hang up' : undefined
    })
    await at.seed()
    await waitUntilFinished(at)
    const { runId } = readStatus(at)
    expect(written).toEqual([1, 2, 3].map(() => [runId, runId]))
    expect(collector.applied).toEqual([runId])
  })

  test('a lost response does not apply twice', async () => {
    const at = await ready()
    collector.dropResponses(1)
    await at.seed()
    await waitUntilFinished(at)
    expect(collector.applied).toEqual([readStatus(at).runId])
    expect(collector.requests).toHaveLength(2)
    expect(readStatus(at).attempts).toBe(1)
  })
})

describe('responses of collector-service', () => {
  test.each([
    [409, 'PLAN_MOVED', 'PlanMoved'],
    [404, 'NOT_FOUND', 'PackageNotFound'],
    [422, 'MANIFEST_INVALID', 'ManifestInvalid'],
    [400, 'VALIDATION_FAILED', 'RequestRefused'],
  ])('a response %i %s ends the apply as failed', async (status, code, reason) => {
    const at = await ready()
    collector.faults.push(() => errorResponse(status, code))
    await at.seed({ expectPlanHash: 'plan-0' })
    await waitUntilFinished(at)
    expect(collector.requests[0]!.request.expect_plan_hash).toBe('plan-0')
    expect(readStatus(at)).toMatchObject({ phase: 'Failed' })
    expect(condition(at.get('SeedPackageApply', 'seeds'), 'Stalled')).toMatchObject({ reason })
  })

  test.each([
    [409, 'APPLY_IN_PROGRESS'],
    [401, 'UNAUTHENTICATED'],
    [503, 'UPSTREAM_UNAVAILABLE'],
    [500, 'INTERNAL'],
  ])('a response %i %s is retried with the same run id', async (status, code) => {
    const at = await ready()
    let requestCount = 0
    collector.faults.push(() => (requestCount++ < 1 ? errorResponse(status, code) : undefined))
    await at.seed()
    await waitUntilFinished(at)
    expect(readStatus(at)).toMatchObject({ phase: 'Succeeded', attempts: 1 })
    expect(new Set(collector.requests.map(({ request }) => request.run_id)).size).toBe(1)
  })

  test('failed items come first, up to the limit', async () => {
    const at = await ready()
    collector.setHandler((request) => {
      const run = buildRun(request, 'partial', 200)
      run.packages[0]!.items.forEach((item, index) => {
        if (index !== 150) Object.assign(item, { status: 'applied', error: null })
      })
      return okResponse(run)
    })
    await at.seed()
    await waitUntilFinished(at)
    const { phase, items, itemsTotal, itemsFailed } = readStatus(at)
    expect([phase, items.length, itemsTotal, itemsFailed]).toEqual(['Partial', 64, 200, 1])
    expect(items[0]).toMatchObject({ item: 'item-150', error: 'it broke' })
  })

  test('a dry run reports the changes and the plan hash', async () => {
    const at = await ready()
    await at.seed({ dryRun: true })
    await waitUntilFinished(at)
    expect(collector.requests[0]!.request.dry_run).toBe(true)
    expect(readStatus(at)).toMatchObject({ phase: 'Succeeded', planHash: 'plan-1' })
    expect(condition(at.get('SeedPackageApply', 'seeds'), 'Ready')?.message).toBe(
      'would change +2 ~1 -0',
    )
  })
})

describe('ttlSecondsAfterFinished', () => {
  test('a finished apply is deleted after its TTL', async () => {
    const at = await ready()
    await at.seed({ ttlSecondsAfterFinished: 3600 }, 'later')
    await at.seed({ ttlSecondsAfterFinished: 0 }, 'now')
    await waitUntilFinished(at, 'later')
    await eventually(() => expect(at.get('SeedPackageApply', 'now')).toBeUndefined())
    expect(collector.applied).toHaveLength(2)
    expect(at.get('SeedPackageApply', 'later')).toBeDefined()
  })
})

test('a paused or hibernated suite is not seeded', async () => {
  const at = await ready()
  await at.patch('LegalSuite', 'demo', { spec: { paused: true } })
  await eventually(() => expect(at.get('LegalSuite', 'demo').status.phase).toBe('Paused'))
  await at.seed()
  await eventually(() =>
    expect(condition(at.get('SeedPackageApply', 'seeds'), 'Ready')?.reason).toBe('SuitePaused'),
  )
  await at.patch('LegalSuite', 'demo', { spec: { paused: false } })
  await waitUntilFinished(at)
})

test('a collector that does not respond leaves workers for other suites', async () => {
  const at = await ready()
  collector.faults.push(({ package_ids }) =>
    package_ids.includes('silent') ? 'silence' : undefined,
  )
  for (let n = 0; n < 20; n++) await at.seed({ packageIds: ['silent'] }, `silent-${n}`)
  await eventually(() => expect(collector.requests).toHaveLength(2))
  await at.suite({}, 'other')
  await eventually(async () => {
    await at.settle()
    expect(at.ready('other')?.status).toBe('True')
  })
  await at.seed({ suiteRef: { name: 'other' } }, 'quick')
  await waitUntilFinished(at, 'quick')
  expect(collector.requests).toHaveLength(3)
})
