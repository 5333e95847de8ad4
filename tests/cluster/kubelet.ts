import type { Client } from '../../operator/runtime/client.ts'
import { makeInformer } from '../../operator/runtime/informer.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'

type Pod = KubeObject & {
  spec: { containers: { image: string }[]; restartPolicy?: string }
  status?: { phase?: string; conditions?: { type: string; status: string }[] }
}

const silent = { info() {}, warn() {}, error() {} }

/**
 * Sets the status of pods in clusters without nodes: pods run and are ready, pods of Jobs complete. Pods with
 * an image tag that starts with `bad` never become ready, and Job pods fail.
 */
export function startKubelet(client: Client, namespace?: string) {
  const pods = makeInformer<Pod>({
    client,
    log: silent,
    metrics: makeMetrics(),
    resource: getResource('v1', 'Pod'),
    namespace,
    labelSelector: 'legalsuite.dev/suite',
  })
  const stop = new AbortController()
  const running = pods.run(stop.signal)
  const end = pods.subscribe((change) => {
    if (change.type === 'deleted' || change.object.metadata.deletionTimestamp) return
    void settle(client, change.object).catch(() => {})
  })
  return {
    async stop() {
      end()
      stop.abort()
      await running
    },
  }
}

let addressCount = 1

async function settle(client: Client, pod: Pod) {
  const bad = /:bad[^:]*$/.test(pod.spec.containers[0]!.image)
  const ends = pod.spec.restartPolicy === 'Never'
  const phase = ends ? (bad ? 'Failed' : 'Succeeded') : 'Running'
  if (pod.status?.phase === phase) return
  const now = new Date().toISOString().replace(/\.\d+/, '')
  const ready = String(!bad && !ends).replace(/^./, (first) => first.toUpperCase())
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
    type,
    status: type.endsWith('Ready') ? ready : 'True',
    lastTransitionTime: now,
  }))
  // Without an address a pod is no endpoint of its Service.
  const podIP = `10.244.${addressCount >> 8}.${addressCount++ & 255}`
  const patch = { status: { phase, conditions, startTime: now, podIP, podIPs: [{ ip: podIP }] } }
  await client.merge(getResource('v1', 'Pod'), pod.metadata, patch, { subresource: 'status' })
}
