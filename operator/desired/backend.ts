import type { KubeObject } from '../runtime/objects.ts'
import {
  buildObject,
  type Facts,
  objectName,
  retainsData,
  type SuiteInput,
  selectorLabels,
  standardLabels,
} from './common.ts'
import { type Container, failureLog, podSecurityContext, secretsChecksum } from './pod.ts'
import { withPodSettings } from './pod-settings.ts'

/** A service account without permissions and without a mounted token. */
export const serviceAccount = (suite: SuiteInput, app: string) =>
  buildObject(suite, app, ['v1', 'ServiceAccount'], { automountServiceAccountToken: false })

/** Allows voluntary eviction of one pod at a time. Pods that are not ready never block a drain. */
export const podDisruptionBudget = (suite: SuiteInput, app: string) =>
  buildObject(suite, app, ['policy/v1', 'PodDisruptionBudget'], {
    spec: {
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: selectorLabels(suite, app) },
    },
  })

type Ports = [name: string, port: number][]

const servicePorts = (ports: Ports) =>
  ports.map(([name, port]) => ({ name, port, targetPort: name, protocol: 'TCP' }))

export const backendService = (suite: SuiteInput, app: string, ports: Ports) =>
  buildObject(suite, app, ['v1', 'Service'], {
    spec: { type: 'ClusterIP', selector: selectorLabels(suite, app), ports: servicePorts(ports) },
  })

/** A headless Service: its name resolves to the address of the single pod. */
export const headlessService = (suite: SuiteInput, app: string, ports: Ports) =>
  buildObject(suite, app, ['v1', 'Service'], {
    spec: {
      type: 'ClusterIP',
      clusterIP: 'None',
      selector: selectorLabels(suite, app),
      ports: servicePorts(ports),
    },
  })

/**
 * A headless Service for peer discovery. It publishes pods before they are ready, because a pod becomes ready
 * only after it has joined its peers.
 */
export const peersService = (suite: SuiteInput, app: string, ports: Ports) =>
  buildObject(
    suite,
    app,
    ['v1', 'Service'],
    {
      spec: {
        type: 'ClusterIP',
        clusterIP: 'None',
        publishNotReadyAddresses: true,
        selector: selectorLabels(suite, app),
        ports: servicePorts(ports),
      },
    },
    { name: objectName(suite, `${app}-peers`) },
  )

interface StatefulSetPods {
  container: Container
  initContainers?: Container[]
  volumes: Record<string, unknown>[]
  user: number
  replicas: number
  serviceName: string
  volumeClaimTemplates?: Record<string, unknown>[]
}

export function statefulSet(
  suite: SuiteInput,
  app: string,
  pods: StatefulSetPods,
  facts: Facts,
): KubeObject {
  const { container, initContainers, volumes, volumeClaimTemplates } = pods
  return buildObject(suite, app, ['apps/v1', 'StatefulSet'], {
    spec: {
      serviceName: pods.serviceName,
      replicas: suite.spec.hibernated ? 0 : pods.replicas,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: selectorLabels(suite, app) },
      persistentVolumeClaimRetentionPolicy: {
        whenDeleted: retainsData(suite) ? 'Retain' : 'Delete',
        whenScaled: 'Retain',
      },
      template: withPodSettings(suite, {
        metadata: {
          labels: standardLabels(suite, app),
          annotations: secretsChecksum([container], facts),
        },
        spec: {
          serviceAccountName: objectName(suite, app),
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: podSecurityContext(pods.user),
          terminationGracePeriodSeconds: 60,
          affinity: podAntiAffinity(suite, app),
          ...(initContainers && { initContainers }),
          containers: [{ ...failureLog, ...container }],
          volumes,
        },
      }),
      ...(volumeClaimTemplates && { volumeClaimTemplates }),
    },
  })
}

/** Prefers different nodes for the pods of one app. */
export const podAntiAffinity = (suite: SuiteInput, app: string) => ({
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 100,
        podAffinityTerm: {
          labelSelector: { matchLabels: selectorLabels(suite, app) },
          topologyKey: 'kubernetes.io/hostname',
        },
      },
    ],
  },
})
