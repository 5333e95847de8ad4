import { expect, test } from 'vitest'
import { makeRandom } from '../../bench/support/random.ts'
import { answer, runOf, startCollector } from '../testing/collector.ts'
import { names, set, settled, until } from '../testing/set.ts'

const kinds = ['Deployment', 'Job', 'NetworkPolicy', 'PersistentVolumeClaim', 'Secret', 'Service']

test.each([1, 2, 3, 4])(
  'whatever fails on the way, a suite gets there, and nothing is lost track of (%i)',
  async (seed) => {
    const random = makeRandom(seed)
    const collector = await startCollector()
    collector.answers((request) => answer(runOf(request)))
    const at = set({ collectorAddress: collector.address })
    await at.secret('db', { url: 'postgres://x' })
    await at.suite({ search: { type: 'Managed' } })
    await at.seed()
    let left = 120
    at.api.faults.push(({ verb, collection, query }) => {
      // What the test itself asks goes through: it names no field manager and writes no more suites.
      const ours = verb === 'get' || query.has('fieldManager') || collection === '/secrets'
      if (!ours || left === 0 || !random.chance(0.3)) return undefined
      left--
      return random.pick([{ status: 503 }, { status: 500 }, 'reset', 'reset after'] as const)
    })
    await settled(at)
    const inventory: { kind: string; name: string }[] = at.get('LegalSuite', 'demo').status
      .inventory
    const known = new Set(inventory.map(({ kind, name }) => `${kind}/${name}`))
    const there = kinds.flatMap((kind) =>
      names(at, kind)
        .filter((name) => name !== 'db')
        .map((name) => `${kind}/${name}`),
    )
    expect(there.filter((each) => !known.has(each))).toEqual([])
    expect(names(at, 'Job')).toHaveLength(1)
    await until(() => expect(at.get('SeedPackageApply', 'seeds').status.phase).toBe('Succeeded'))
    expect(collector.applied).toEqual([at.get('SeedPackageApply', 'seeds').status.runId])
    await collector.stop()
  },
  60_000,
)
