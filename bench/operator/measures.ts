import type { Client } from '../../operator/runtime/client.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { startKubelet } from '../../tests/cluster/kubelet.ts'
import { objectsIn } from '../../tests/cluster/objects.ts'
import { eventually } from '../../tests/cluster/support.ts'
import { inParallel, type Subject } from './subject.ts'

/** Measures the seconds until all SeedPackageApplies have finished. */
export async function measureSeedApplies(client: Client, subject: Subject, count: number) {
  const objects = objectsIn(client, subject.namespace)
  const kubelet = startKubelet(client, subject.namespace)
  await objects.suite({}, 'seeded')
  await objects.settled('seeded', 300_000)
  const apply = {
    apiVersion: 'legalsuite.dev/v1alpha1',
    kind: 'SeedPackageApply',
    spec: { suiteRef: { name: 'seeded' }, packageIds: ['one'] },
  }
  let peak = 0
  const watching = setInterval(async () => {
    peak = Math.max(peak, await subject.memory())
  }, 1_000)
  const startedAt = performance.now()
  await inParallel(count, 8, (index) =>
    objects.create({ ...apply, metadata: { name: `seed-${index}` } }),
  )
  await eventually(async () => {
    const phases = (await objects.list('SeedPackageApply')).map(({ status }) => status?.phase)
    const finished = phases.filter((phase) => phase === 'Succeeded').length
    if (finished < count) throw new Error(`${finished} of ${count} are over`)
  }, 900_000)
  const seconds = (performance.now() - startedAt) / 1000
  clearInterval(watching)
  await kubelet.stop()
  return { seconds, peak: Math.max(peak, await subject.memory()) }
}

/** Creates Secrets that do not belong to any suite. */
export async function createUnrelatedSecrets(client: Client, subject: Subject, count: number) {
  const data = { blob: Buffer.alloc(1_024, 'x').toString('base64') }
  await inParallel(count, 16, (index) =>
    client.create(getResource('v1', 'Secret'), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `unrelated-${index}`, namespace: subject.namespace },
      data,
    }),
  )
}
