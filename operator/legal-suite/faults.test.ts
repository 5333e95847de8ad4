import { expect, test } from 'vitest'
import { makeRandom } from '../../bench/support/random.ts'
import { buildRun, okResponse, startFakeCollector } from '../testing/fake-collector.ts'
import { eventually, names, startOperator, waitUntilReady } from '../testing/fixtures.ts'

const kinds = ['Deployment', 'Job', 'NetworkPolicy', 'PersistentVolumeClaim', 'Secret', 'Service']

test.each([1, 2, 3, 4])(
  'with random API faults a suite becomes ready and every object is in the inventory (%i)',
  async (seed) => {
    const random = makeRandom(seed)
    const collector = await startFakeCollector()
    collector.setHandler((request) => okResponse(buildRun(request)))
    const at = startOperator({ collectorAddress: collector.address })
    await at.secret('db', { url: 'postgres://x' })
    await at.suite({ search: { type: 'Managed' } })
    await at.seed()
    let left = 120
    at.api.faults.push(({ verb, collection, query }) => {
      // Requests of the test itself pass: they set no field manager and create no suites.
      const isOperatorCall =
        verb === 'get' || query.has('fieldManager') || collection === '/secrets'
      if (!isOperatorCall || left === 0 || !random.chance(0.3)) return undefined
      left--
      return random.pick([{ status: 503 }, { status: 500 }, 'reset', 'reset after'] as const)
    })
    await waitUntilReady(at)
    const inventory: { kind: string; name: string }[] = at.get('LegalSuite', 'demo').status
      .inventory
    const tracked = new Set(inventory.map(({ kind, name }) => `${kind}/${name}`))
    const there = kinds.flatMap((kind) =>
      names(at, kind)
        .filter((name) => name !== 'db')
        .map((name) => `${kind}/${name}`),
    )
    expect(there.filter((each) => !tracked.has(each))).toEqual([])
    expect(names(at, 'Job')).toHaveLength(1)
    await eventually(() =>
      expect(at.get('SeedPackageApply', 'seeds').status.phase).toBe('Succeeded'),
    )
    expect(collector.applied).toEqual([at.get('SeedPackageApply', 'seeds').status.runId])
    await collector.stop()
  },
  60_000,
)
