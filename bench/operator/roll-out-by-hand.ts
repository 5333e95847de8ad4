import type { LegalSuite } from '../../operator/api/legal-suite.ts'
import { objectName, ownerReference } from '../../operator/desired/common.ts'
import { desired } from '../../operator/desired/index.ts'
import { waves } from '../../operator/desired/waves.ts'
import { fieldManager } from '../../operator/runtime/apply.ts'
import type { Client } from '../../operator/runtime/client.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { getObjectResource } from '../../operator/runtime/resources.ts'
import { objectsIn } from '../../tests/cluster/objects.ts'
import type { Watched } from './watch-objects.ts'

export type Workload = KubeObject & {
  spec: {
    replicas?: number
    template: { spec: { containers: { image: string; env?: object[] }[] } }
  }
  status?: {
    observedGeneration?: number
    updatedReplicas?: number
    availableReplicas?: number
    replicas?: number
    conditions?: { type: string; status: string }[]
  }
}

export interface Watches {
  deployments: Watched<Workload>
  jobs: Watched<Workload>
}

/**
 * A suite that no operator manages. `change` runs the migration Job and rolls out the waves of Deployments as
 * soon as the previous ones are available. It is the time of the control plane alone.
 */
export async function makeManualSuite(client: Client, namespace: string, watches: Watches) {
  const objects = objectsIn(client, namespace)
  const apply = (object: KubeObject, suite: LegalSuite) =>
    client.apply(
      getObjectResource(object),
      { ...object, metadata: { ...object.metadata, ownerReferences: [ownerReference(suite)] } },
      { fieldManager, force: true },
    )

  /** Returns the time at which the last wave was applied. */
  async function rollOut(suite: LegalSuite): Promise<number> {
    let appliedAt = 0
    const all = desired(suite)
    const job = all.find(({ kind }) => kind === 'Job')!
    await apply(job, suite)
    await watches.jobs.until((get) => isComplete(get(`${namespace}/${job.metadata.name}`)))
    for (const wave of waves) {
      const names = wave.map((service) => objectName(suite, service))
      const members = all.filter(
        ({ kind, metadata }) => kind === 'Deployment' && names.includes(metadata.name),
      )
      if (members.length === 0) continue
      const applied = await Promise.all(members.map((each) => apply(each, suite)))
      appliedAt = performance.now()
      await watches.deployments.until((get) =>
        applied.every(({ metadata }) =>
          isAvailable(get(`${namespace}/${metadata.name}`), metadata.generation!),
        ),
      )
    }
    return appliedAt
  }

  const suite: LegalSuite = await objects.suite({}, 'bare')
  for (const account of desired(suite).filter(({ kind }) => kind === 'ServiceAccount')) {
    await apply(account, suite)
  }
  await rollOut(suite)
  return {
    change: async (spec: object) =>
      rollOut((await objects.patch('LegalSuite', 'bare', { spec })) as LegalSuite),
  }
}

const isComplete = (job: Workload | undefined) =>
  job?.status?.conditions?.some(({ type, status }) => type === 'Complete' && status === 'True') ??
  false

/** All pods have the template of this generation, and one is available. */
function isAvailable(deployment: Workload | undefined, generation: number): boolean {
  const { spec, status = {} } = deployment ?? {}
  const replicas = spec?.replicas ?? 1
  return (
    (status.observedGeneration ?? 0) >= generation &&
    status.updatedReplicas === replicas &&
    status.replicas === replicas &&
    status.availableReplicas === replicas
  )
}
