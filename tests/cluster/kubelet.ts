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
 * an image tag that starts with `bad` never become ready, and Job pods fail. Services get an EndpointSlice, since
 * the controller of Kubernetes ignores pods without a node.
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
  const published = new Set<string>()
  const end = pods.subscribe((change) => {
    if (change.type === 'deleted' || change.object.metadata.deletionTimestamp) return
    const { object } = change
    const update = isReady(object)
      ? publishEndpoint(client, object, published)
      : settle(client, object)
    void update.catch(() => {})
  })
  return {
    async stop() {
      end()
      stop.abort()
      await running
    },
  }
}

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
  const patch = { status: { phase, conditions, startTime: now } }
  await client.merge(getResource('v1', 'Pod'), pod.metadata, patch, { subresource: 'status' })
}

const isReady = ({ status }: Pod) =>
  status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false

/** Creates the EndpointSlice of the Service of a pod, once. */
async function publishEndpoint(client: Client, { metadata }: Pod, published: Set<string>) {
  const { namespace, labels = {} } = metadata
  const name = `${labels['app.kubernetes.io/instance']}-${labels['app.kubernetes.io/name']}`
  if (published.has(`${namespace}/${name}`)) return
  published.add(`${namespace}/${name}`)
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { ...labels, 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.244.0.1'], conditions: { ready: true } }],
  } as KubeObject
  await client.apply(getResource(slice.apiVersion, slice.kind), slice, { fieldManager: 'tests' })
}
