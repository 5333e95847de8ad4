import type { Client } from '../../operator/runtime/client.ts'
import { resourceOf } from '../../operator/runtime/resources.ts'
import { startKubelet } from '../../tests/cluster/kubelet.ts'
import { objectsIn } from '../../tests/cluster/objects.ts'
import { eventually } from '../../tests/cluster/support.ts'
import { inParallel, type Subject } from './subject.ts'

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
