import { rolloutAnnotation, standardLabels } from '../desired/common.ts'
import type { KubeObject } from '../runtime/objects.ts'
import type { Harness } from './harness.ts'
import { buildSuite } from './suites.ts'

let count = 0

/** Creates a pod of a workload of the suite `demo`, as its controller would. */
export async function createPod(at: Harness, app: string, status: object, owner?: KubeObject) {
  const rollout = at.get('Deployment', `demo-${app}`)?.metadata.annotations?.[rolloutAnnotation]
  const pod = await at.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `demo-${app}-${++count}`,
      namespace: 'legal',
      labels: standardLabels(buildSuite(), app),
      creationTimestamp: new Date(Date.UTC(2026, 0, 1) + count * 1000).toISOString(),
      ...(rollout && { annotations: { [rolloutAnnotation]: rollout } }),
      ...(owner && {
        ownerReferences: [
          { apiVersion: 'batch/v1', kind: 'Job', name: owner.metadata.name, uid: 'u' },
        ],
      }),
    },
  } as KubeObject)
  await at.patch('Pod', pod.metadata.name, { status }, 'status')
  return pod
}

export const waiting = (name: string, reason: string, message = reason) => ({
  phase: 'Pending',
  containerStatuses: [{ name, ready: false, state: { waiting: { reason, message } } }],
})
