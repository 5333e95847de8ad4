import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ServiceName, serviceNames } from '../api/service-table.ts'
import { rolloutAnnotation } from '../desired/common.ts'
import { desired } from '../desired/index.ts'
import { waves } from '../desired/waves.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { propertySeed } from '../testing/property-seed.ts'
import { find } from '../testing/queries.ts'
import { buildSuite } from '../testing/suites.ts'
import { healthOf, type Workload } from './health.ts'
import { planRollout } from './rollout.ts'

const suite = buildSuite()
const objects = desired(suite)
const members = serviceNames.filter((name) => name !== 'gateway')
const desiredWorkload = (name: string): Workload => find(objects, 'Deployment', `demo-${name}`)

/** State of a service: missing, old version or current version; ready or not. */
type ServiceState = { there: boolean; current: boolean; ready: boolean }
const serviceState = fc.record({ there: fc.boolean(), current: fc.boolean(), ready: fc.boolean() })
const suiteState = fc.record(
  Object.fromEntries(members.map((name) => [name, serviceState])) as Record<
    ServiceName,
    typeof serviceState
  >,
)

function buildLive(name: string, { there, current, ready }: ServiceState): Workload | undefined {
  if (!there) return undefined
  const object = desiredWorkload(name)
  const annotations = current ? object.metadata.annotations! : { [rolloutAnnotation]: 'other' }
  const count = ready ? 1 : 0
  return {
    ...object,
    metadata: { ...object.metadata, annotations, generation: 1 },
    status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: count },
  }
}

const job = objects.find(({ kind }) => kind === 'Job')!
const buildMigrationJob = (status: string | undefined): Workload =>
  ({ ...job, status: { conditions: status ? [{ type: status, status: 'True' }] : [] } }) as Workload

describe('rollout plan', () => {
  test('no pod is replaced before the migration is done and earlier waves are ready', () => {
    fc.assert(
      fc.property(suiteState, fc.constantFrom(undefined, 'Complete', 'Failed'), (state, end) => {
        const lookup = (kind: string, name: string) =>
          kind === 'Job'
            ? buildMigrationJob(end)
            : buildLive(
                name.slice('demo-'.length),
                state[name.slice('demo-'.length) as ServiceName],
              )
        const { applicable, deferred, blocker } = planRollout(suite, objects, {
          lookup: lookup,
          missing: new Set(),
        })
        const isNow = (name: string) => applicable.includes(desiredWorkload(name))
        const willRoll = (name: ServiceName) => !state[name].there || !state[name].current
        const isDone = (name: ServiceName) => !willRoll(name) && state[name].ready
        for (const name of members) {
          const before = waves
            .slice(
              0,
              waves.findIndex((wave) => wave.includes(name)),
            )
            .flat()
          const may = end === 'Complete' && before.every((each) => isDone(each))
          expect(isNow(name)).toBe(!willRoll(name) || may)
        }
        expect(new Set([...applicable, ...deferred]).size).toBe(objects.length)
        const ready = end === 'Complete' && members.every((name) => isDone(name))
        expect(blocker === undefined).toBe(ready)
      }),
      { numRuns: 300, seed: propertySeed },
    )
  })

  test('a blocker defers only pods', () => {
    const database = { state: 'reconciling', reason: 'DatabaseNotReady', message: '' } as const
    const plan = planRollout(suite, objects, {
      lookup: () => undefined,
      missing: new Set(),
      database,
    })
    const kinds = new Set(plan.applicable.map(({ kind }: KubeObject) => kind))
    expect([...kinds].sort()).toEqual([
      'NetworkPolicy',
      'PersistentVolumeClaim',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
      'ServiceMonitor',
    ])
    expect(plan.blocker).toEqual(database)
  })
})

describe('health', () => {
  const base = desiredWorkload('memory')
  const status = { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1 }
  const health = (more: object, generation = 2) =>
    healthOf({
      ...base,
      metadata: { ...base.metadata, generation },
      status: { ...status, ...more },
    })

  test('a workload is ready when all pods are updated and available without surplus', () => {
    expect(health({}).ready).toBe(true)
    expect(health({}, 3).ready).toBe(false)
    expect(health({ updatedReplicas: 0 }).ready).toBe(false)
    expect(health({ availableReplicas: 0 }).ready).toBe(false)
    expect(health({ replicas: 2 }).ready).toBe(false)
    expect(healthOf(undefined).ready).toBe(false)
  })

  test('a failure counts only for the current generation while the workload is not ready', () => {
    const conditions = [
      { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'late' },
    ]
    expect(health({ conditions, availableReplicas: 0 }).failure).toBe('late')
    expect(health({ conditions, availableReplicas: 0 }, 3).failure).toBeUndefined()
    expect(health({ conditions }).failure).toBeUndefined()
  })
})
