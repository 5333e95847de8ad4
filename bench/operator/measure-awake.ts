import type { Client } from '../../operator/runtime/client.ts'
import { startKubelet } from '../../tests/cluster/kubelet.ts'
import { objectsIn } from '../../tests/cluster/objects.ts'
import { freshNamespace } from '../../tests/cluster/support.ts'
import { makeManualSuite, type Workload } from './roll-out-by-hand.ts'
import { inParallel, pause, type Subject } from './subject.ts'
import { watchObjects } from './watch-objects.ts'

/** The last wave of a suite without gateway. */
const lastWave = ['consultations', 'collector']

export interface AwakeTimings {
  /** Milliseconds from an edit of one service until its Deployment is changed. */
  edits: number[]
  /** Milliseconds from a new version until the last wave is changed. */
  rollouts: number[]
  /** The same with the waves rolled out directly. */
  byHand: number[]
}

/** Measures suites whose pods run. A stand-in for the kubelet reports pods as ready at once. */
export async function measureAwake(
  client: Client,
  subject: Subject,
  suites: number,
  counts: { edits: number; rollouts: number },
): Promise<AwakeTimings> {
  await using _kubelet = disposable(startKubelet(client, subject.namespace))
  const objects = objectsIn(client, subject.namespace)
  const name = (index: number) => `suite-${index}`
  await inParallel(suites, 4, async (index) => {
    await objects.suite({}, name(index))
    await objects.settled(name(index), 600_000)
  })
  await using deployments = watchObjects<Workload>(client, 'apps/v1', 'Deployment')
  await using jobs = watchObjects<Workload>(client, 'batch/v1', 'Job')
  const deployment = (suite: string, service: string) => `${subject.namespace}/${suite}-${service}`

  const timings: AwakeTimings = { edits: [], rollouts: [], byHand: [] }
  for (let index = 0; index < counts.edits; index++) {
    const suite = name(index % suites)
    const env = [{ name: 'EDIT', value: `${index}` }]
    const applied = () =>
      deployments.until((get) => hasVariable(get(deployment(suite, 'platform')), `${index}`))
    timings.edits.push(
      await measure(applied, () =>
        objects.patch('LegalSuite', suite, { spec: { services: { platform: { env } } } }),
      ),
    )
    await objects.settled(suite, 60_000)
  }

  await using unmanaged = await freshNamespace(client)
  await using _unmanagedKubelet = disposable(startKubelet(client, unmanaged.name))
  const manual = await makeManualSuite(client, unmanaged.name, { deployments, jobs })
  for (let index = 0; index < counts.rollouts; index++) {
    const version = `2.0.${index}`
    const suite = name(index % suites)
    const applied = () =>
      deployments.until((get) =>
        lastWave.every(
          (service) => imageOf(get(deployment(suite, service))) === `legal-suite:${version}`,
        ),
      )
    timings.rollouts.push(
      await measure(applied, () => objects.patch('LegalSuite', suite, { spec: { version } })),
    )
    await objects.settled(suite, 60_000)
    await pause(1_000)
    const startedAt = performance.now()
    timings.byHand.push((await manual.change({ version })) - startedAt)
    await pause(1_000)
  }
  return timings
}

const disposable = (kubelet: { stop(): Promise<void> }) => ({
  [Symbol.asyncDispose]: () => kubelet.stop(),
})

const imageOf = (deployment: Workload | undefined) =>
  deployment?.spec.template.spec.containers[0]?.image

const hasVariable = (deployment: Workload | undefined, value: string) =>
  JSON.stringify(deployment?.spec.template.spec.containers[0]?.env ?? []).includes(
    JSON.stringify({ name: 'EDIT', value }),
  )

async function measure(done: () => Promise<void>, change: () => Promise<unknown>) {
  const applied = done()
  const startedAt = performance.now()
  await Promise.all([change(), applied])
  return performance.now() - startedAt
}
