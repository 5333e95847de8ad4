import { afterAll, describe, expect, test } from 'vitest'
import {
  configsPackage,
  internal,
  makeTargets,
  newLibrary,
} from '../../../tests/support/collector.ts'
import { newDatabase } from '../../../tests/support/databases.ts'
import { key } from '../../../tests/support/stage.ts'
import { silent } from '../../_kit/log.ts'
import { makeMetrics } from '../../_kit/metrics.ts'
import type { Peer } from '../../_kit/peer.ts'
import { type Driver, makeSql } from '../../_kit/sql/sql.ts'
import collector from '../service.ts'

const database = await newDatabase('pglite')
const sql = makeSql(database.driver)
const library = newLibrary()
afterAll(async () => {
  await database.drop()
  library.drop()
})

/** Starts a process that crashes after `lives` steps: later queries and requests never return. */
function startProcess(targets: Peer, lives = Number.POSITIVE_INFINITY) {
  let left = lives
  const dead = new Promise<never>(() => {})
  let cut = () => {}
  const died = new Promise<void>((resolve) => {
    cut = resolve
  })
  /** The last step is executed but its result is lost. Later steps are not executed. */
  const step = async <T>(work: () => T | Promise<T>): Promise<T> => {
    if (--left <= 0) cut()
    if (left < 0) return dead
    const result = await work()
    return left === 0 ? dead : result
  }
  const driver: Driver = {
    query: (text, params) => step(() => database.driver.query(text, params)),
    transaction: (work) => step(() => database.driver.transaction(work)),
    end: async () => {},
  }
  const started = collector.start({
    env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key, SEED_PACKAGES_DIR: library.directory },
    database: driver,
    peers: () => (request) => step(() => targets(request)),
    log: silent,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })
  const apply = async (body: object) => {
    const response = await started.fetch(
      new Request(`http://test${internal}/apply-internal`, {
        method: 'POST',
        headers: { 'x-internal-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
    return ((await response.json()) as { data: any }).data
  }
  return { apply, died, tick: started.tick, steps: () => lives - left }
}

/** Expires the lease of the crashed process. */
const later = () => sql`update collector.seed_runs set lease_until = now() - interval '1 second'`

const stableFields = (run: any) =>
  run.packages.map(({ status, items }: any) => [
    status,
    items.map((item: any) => [item.item_id, item.status, item.counts]),
  ])

const needs = { two: ['one'], three: ['one'], four: ['two', 'three'] }
const values = (n: number) => ({
  one: { [`k${n}.a`]: 1, [`k${n}.b`]: 2 },
  two: { [`k${n}.c`]: 1 },
  three: { [`k${n}.d`]: 1 },
  four: { [`k${n}.e`]: 1 },
})

describe('an apply that crashes at any step', () => {
  test('an apply resumed after a crash at any step ends like an uninterrupted one', async () => {
    // Number of steps and result of an uninterrupted apply.
    library.put('crashed', configsPackage('crashed', values(0), needs))
    const uninterrupted = startProcess(makeTargets().peer, 1_000_000)
    const expected = stableFields(await uninterrupted.apply({ package_ids: ['crashed'] }))
    const steps = uninterrupted.steps()
    expect(steps).toBeGreaterThan(20)

    for (let cutAt = 1; cutAt < steps; cutAt++) {
      await sql`delete from collector.seed_runs`
      await sql`delete from collector.applied_packages`
      library.put('crashed', configsPackage('crashed', values(cutAt), needs))
      const targets = makeTargets()
      const run_id = crypto.randomUUID()
      const first = startProcess(targets.peer, cutAt)
      void first.apply({ package_ids: ['crashed'], run_id })
      await first.died
      await later()
      const second = startProcess(targets.peer)
      // Half of the runs are resumed by a tick, half by a repeated request.
      if (cutAt % 2) await second.tick()
      const run = await second.apply({ package_ids: ['crashed'], run_id })
      expect([cutAt, run.status, stableFields(run)]).toEqual([cutAt, 'succeeded', expected])
      expect(Object.keys(targets.storedRecords())).toHaveLength(5)
      expect(await sql`select package_id from collector.package_leases`).toEqual([])
      expect((await second.apply({ package_ids: ['crashed'] })).packages[0].status).toBe(
        'unchanged',
      )
    }
  }, 120_000)

  test('a crashed apply is finished before another apply of the package starts', async () => {
    library.put(
      'left',
      configsPackage('left', { one: { l1: 1 }, two: { l2: 1 } }, { two: ['one'] }),
    )
    const targets = makeTargets()
    const hanging: Peer = (request) =>
      targets.writes().length > 0 ? new Promise(() => {}) : targets.peer(request)
    const run_id = crypto.randomUUID()
    void startProcess(hanging).apply({ package_ids: ['left'], run_id })
    await expect.poll(() => targets.writes().length, { timeout: 10_000 }).toBe(1)
    const second = startProcess(targets.peer)
    const early = await second.apply({ package_ids: ['left'] })
    expect(early).toMatchObject({ package_id: 'left', run_id })
    await later()
    const run = await second.apply({ package_ids: ['left'] })
    expect(run.packages[0].status).toBe('unchanged')
    const left = await second.apply({ package_ids: ['left'], run_id })
    expect([left.status, stableFields(left)[0][1].map((item: any) => item[1])]).toEqual([
      'succeeded',
      ['applied', 'applied'],
    ])
  })

  test('a crashed apply fails if the package changed meanwhile', async () => {
    library.put('other', configsPackage('other', { one: { o1: 1 } }))
    const run_id = crypto.randomUUID()
    const targets = makeTargets()
    const first = startProcess(targets.peer, 8)
    void first.apply({ package_ids: ['other'], run_id })
    await first.died
    await later()
    library.put('other', configsPackage('other', { one: { o1: 2 } }))
    const run = await startProcess(targets.peer).apply({ package_ids: ['other'], run_id })
    expect(run.status).toBe('failed')
    expect(run.packages[0].items[0].error).toContain('changed after the run started')
    expect(targets.writes()).toEqual([])
  })
})
