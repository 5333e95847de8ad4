import type { Client } from '../../operator/runtime/client.ts'
import { makeInformer } from '../../operator/runtime/informer.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { resourceOf } from '../../operator/runtime/resources.ts'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { startKubelet } from '../../tests/cluster/kubelet.ts'
import { objectsIn } from '../../tests/cluster/objects.ts'
import { eventually } from '../../tests/cluster/support.ts'
import { inParallel, pause, type Subject } from './subject.ts'

type Deployment = KubeObject & {
  spec: { template: { spec: { containers: { image: string }[] } } }
}

const services = 8

/**
 * Milliseconds from a change of a suite to the last of its Deployments being changed, at so many suites. They
 * sleep, so that nothing but the operator and the API server is measured: no pod has to get ready.
 */
export async function changes(client: Client, subject: Subject, suites: number, count: number) {
  const at = objectsIn(client, subject.namespace)
  const name = (index: number) => `suite-${index}`
  await inParallel(suites, 8, (index) => at.suite({ hibernated: true }, name(index)))
  for (let index = 0; index < suites; index++) await at.settled(name(index), 300_000)

  const waiting = new Map<string, { image: string; left: Set<string>; done: () => void }>()
  const informer = makeInformer<Deployment>({
    client,
    log: silent,
    metrics: makeMetrics(),
    resource: resourceOf('apps/v1', 'Deployment'),
    namespace: subject.namespace,
  })
  const stop = new AbortController()
  const running = informer.run(stop.signal)
  informer.subscribe(({ object: { metadata, spec } }) => {
    const suite = waiting.get(metadata.labels?.['legalsuite.dev/suite'] ?? '')
    if (suite?.image !== spec.template.spec.containers[0]!.image) return
    suite.left.delete(metadata.name)
    if (suite.left.size === 0) suite.done()
  })
  await eventually(() => {
    if (informer.list().length < suites * services) throw new Error('not all there')
  })

  const took: number[] = []
  await inParallel(count, 1, async (index) => {
    const suite = name(index % suites)
    const version = `2.0.${index}`
    const left = new Set(
      informer
        .list()
        .filter(({ metadata }) => metadata.labels?.['legalsuite.dev/suite'] === suite)
        .map(({ metadata }) => metadata.name),
    )
    const done = new Promise<void>((resolve) => {
      waiting.set(suite, { image: `legal-suite:${version}`, left, done: resolve })
    })
    const begun = performance.now()
    await at.patch('LegalSuite', suite, { spec: { version } })
    await done
    took.push(performance.now() - begun)
    waiting.delete(suite)
    // What a change costs others, the controllers of Deployments above all, is not to delay the next one.
    await pause(1_000)
  })
  stop.abort()
  await running
  return took
}

/** Seconds until so many applications of seeds are all over. */
export async function applications(client: Client, subject: Subject, count: number) {
  const at = objectsIn(client, subject.namespace)
  const kubelet = startKubelet(client, subject.namespace)
  await at.suite({}, 'seeded')
  await at.settled('seeded', 300_000)
  const apply = {
    apiVersion: 'legalsuite.dev/v1alpha1',
    kind: 'SeedPackageApply',
    spec: { suiteRef: { name: 'seeded' }, packageIds: ['one'] },
  }
  let peak = 0
  const watching = setInterval(async () => {
    peak = Math.max(peak, await subject.memory())
  }, 1_000)
  const begun = performance.now()
  await inParallel(count, 8, (index) =>
    at.create({ ...apply, metadata: { name: `seed-${index}` } }),
  )
  await eventually(async () => {
    const phases = (await at.list('SeedPackageApply')).map(({ status }) => status?.phase)
    const over = phases.filter((phase) => phase === 'Succeeded').length
    if (over < count) throw new Error(`${over} of ${count} are over`)
  }, 900_000)
  const seconds = (performance.now() - begun) / 1000
  clearInterval(watching)
  await kubelet.stop()
  return { seconds, peak: Math.max(peak, await subject.memory()) }
}

/** Secrets that are nobody's business. */
export async function unrelatedSecrets(client: Client, subject: Subject, count: number) {
  const data = { blob: Buffer.alloc(1_024, 'x').toString('base64') }
  await inParallel(count, 16, (index) =>
    client.create(resourceOf('v1', 'Secret'), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `unrelated-${index}`, namespace: subject.namespace },
      data,
    }),
  )
}
