import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { answer, fault, runOf, startCollector } from '../testing/collector.ts'
import { aWhile, condition, rolledOut, set, settled, until } from '../testing/set.ts'

let collector: Awaited<ReturnType<typeof startCollector>>
beforeEach(async () => {
  collector = await startCollector()
})
afterEach(() => collector.stop())

const ready = () => rolledOut({}, { collectorAddress: collector.address })
const over = (at: ReturnType<typeof set>, name = 'seeds') =>
  until(() => expect(at.get('SeedPackageApply', name).status?.finishedAt).toBeDefined())
const statusOf = (at: ReturnType<typeof set>, name = 'seeds') =>
  at.get('SeedPackageApply', name).status

describe('an application', () => {
  test('asks collector-service with the key of the suite and tells what came of it', async () => {
    const at = await ready()
    await at.seed({ packageIds: ['one', 'two'], force: true })
    await over(at)
    const key = atob(at.get('Secret', 'demo-internal-key').data.current)
    expect(collector.asked).toHaveLength(1)
    const status = statusOf(at)
    expect(collector.asked[0]).toEqual({
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

  test('waits for its suite, and for that to be ready', async () => {
    const at = set({ collectorAddress: collector.address })
    await at.seed()
    await until(() =>
      expect(condition(at.get('SeedPackageApply', 'seeds'), 'Ready')?.reason).toBe('SuiteNotFound'),
    )
    await at.secret('db', { url: 'x' })
    await at.suite()
    await until(() =>
      expect(condition(at.get('SeedPackageApply', 'seeds'), 'Ready')?.reason).toBe(
        'CollectorNotReady',
      ),
    )
    expect(collector.asked).toEqual([])
    await settled(at)
    await over(at)
    expect(statusOf(at).phase).toBe('Succeeded')
  })

  test('is not asked for again once it is over', async () => {
    const at = await ready()
    await at.seed()
    await over(at)
    await at.patch('SeedPackageApply', 'seeds', { metadata: { annotations: { touched: 'yes' } } })
    await aWhile()
    expect(collector.asked).toHaveLength(1)
  })

  test('writes its run id down before it uses it, and keeps to it', async () => {
    const at = await ready()
    const written: unknown[] = []
    collector.faults.push((request) => {
      written.push([request.run_id, statusOf(at)?.runId])
      return written.length < 3 ? 'hang up' : undefined
    })
    await at.seed()
    await over(at)
    const { runId } = statusOf(at)
    expect(written).toEqual([1, 2, 3].map(() => [runId, runId]))
    expect(collector.applied).toEqual([runId])
  })

  test('whose answer is lost is not applied twice', async () => {
    const at = await ready()
    collector.loses(1)
    await at.seed()
    await over(at)
    expect(collector.applied).toEqual([statusOf(at).runId])
    expect(collector.asked).toHaveLength(2)
    expect(statusOf(at).attempts).toBe(1)
  })
})

describe('what collector-service says', () => {
  test.each([
    [409, 'PLAN_MOVED', 'PlanMoved'],
    [404, 'NOT_FOUND', 'PackageNotFound'],
    [422, 'MANIFEST_INVALID', 'ManifestInvalid'],
    [400, 'VALIDATION_FAILED', 'RequestRefused'],
  ])('%i %s is the end of it', async (status, code, reason) => {
    const at = await ready()
    collector.faults.push(() => fault(status, code))
    await at.seed({ expectPlanHash: 'plan-0' })
    await over(at)
    expect(collector.asked[0]!.request.expect_plan_hash).toBe('plan-0')
    expect(statusOf(at)).toMatchObject({ phase: 'Failed' })
    expect(condition(at.get('SeedPackageApply', 'seeds'), 'Stalled')).toMatchObject({ reason })
  })

  test.each([
    [409, 'APPLY_IN_PROGRESS'],
    [401, 'UNAUTHENTICATED'],
    [503, 'UPSTREAM_UNAVAILABLE'],
    [500, 'INTERNAL'],
  ])('%i %s is asked for again, as the same run', async (status, code) => {
    const at = await ready()
    let said = 0
    collector.faults.push(() => (said++ < 1 ? fault(status, code) : undefined))
    await at.seed()
    await over(at)
    expect(statusOf(at)).toMatchObject({ phase: 'Succeeded', attempts: 1 })
    expect(new Set(collector.asked.map(({ request }) => request.run_id)).size).toBe(1)
  })

  test('items that failed are told first, as many as there is room for', async () => {
    const at = await ready()
    collector.answers((request) => {
      const run = runOf(request, 'partial', 200)
      run.packages[0]!.items.forEach((item, index) => {
        if (index !== 150) Object.assign(item, { status: 'applied', error: null })
      })
      return answer(run)
    })
    await at.seed()
    await over(at)
    const { phase, items, itemsTotal, itemsFailed } = statusOf(at)
    expect([phase, items.length, itemsTotal, itemsFailed]).toEqual(['Partial', 64, 200, 1])
    expect(items[0]).toMatchObject({ item: 'item-150', error: 'it broke' })
  })

  test('a dry run says what would change and by which plan', async () => {
    const at = await ready()
    await at.seed({ dryRun: true })
    await over(at)
    expect(collector.asked[0]!.request.dry_run).toBe(true)
    expect(statusOf(at)).toMatchObject({ phase: 'Succeeded', planHash: 'plan-1' })
    expect(condition(at.get('SeedPackageApply', 'seeds'), 'Ready')?.message).toBe(
      'would change +2 ~1 -0',
    )
  })
})

describe('ttlSecondsAfterFinished', () => {
  test('removes it when its time is up, and not before', async () => {
    const at = await ready()
    await at.seed({ ttlSecondsAfterFinished: 3600 }, 'later')
    await at.seed({ ttlSecondsAfterFinished: 0 }, 'now')
    await over(at, 'later')
    await until(() => expect(at.get('SeedPackageApply', 'now')).toBeUndefined())
    expect(collector.applied).toHaveLength(2)
    expect(at.get('SeedPackageApply', 'later')).toBeDefined()
  })
})

test('a suite that is paused or asleep is not seeded', async () => {
  const at = await ready()
  await at.patch('LegalSuite', 'demo', { spec: { paused: true } })
  await until(() => expect(at.get('LegalSuite', 'demo').status.phase).toBe('Paused'))
  await at.seed()
  await until(() =>
    expect(condition(at.get('SeedPackageApply', 'seeds'), 'Ready')?.reason).toBe('SuitePaused'),
  )
  await at.patch('LegalSuite', 'demo', { spec: { paused: false } })
  await over(at)
})
