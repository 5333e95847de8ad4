import type { KubeObject } from '../runtime/objects.ts'
import { type Facts, labelsOf, nameOf, object, retains, selectorOf, type Wanted } from './common.ts'
import { type Container, identity, secretsChecksum } from './pod.ts'

/** An identity that is allowed nothing and has no token to show. */
export const account = (suite: Wanted, what: string) =>
  object(suite, what, ['v1', 'ServiceAccount'], { automountServiceAccountToken: false })

/** At most one pod at a time may be taken away on purpose. */
export const budget = (suite: Wanted, what: string) =>
  object(suite, what, ['policy/v1', 'PodDisruptionBudget'], {
    spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(suite, what) } },
  })

type Ports = [name: string, port: number][]

const portsOf = (ports: Ports) =>
  ports.map(([name, port]) => ({ name, port, targetPort: name, protocol: 'TCP' }))

export const backendService = (suite: Wanted, what: string, ports: Ports) =>
  object(suite, what, ['v1', 'Service'], {
    spec: { type: 'ClusterIP', selector: selectorOf(suite, what), ports: portsOf(ports) },
  })

/** The address of the one pod that there is, without another in front of it. */
export const onlyService = (suite: Wanted, what: string, ports: Ports) =>
  object(suite, what, ['v1', 'Service'], {
    spec: {
      type: 'ClusterIP',
      clusterIP: 'None',
      selector: selectorOf(suite, what),
      ports: portsOf(ports),
    },
  })

/** The addresses of pods one by one, before they are ready too: they have to find one another first. */
export const peersService = (suite: Wanted, what: string, ports: Ports) =>
  object(
    suite,
    what,
    ['v1', 'Service'],
    {
      spec: {
        type: 'ClusterIP',
        clusterIP: 'None',
        publishNotReadyAddresses: true,
        selector: selectorOf(suite, what),
        ports: portsOf(ports),
      },
    },
    { name: nameOf(suite, `${what}-peers`) },
  )

interface StatefulPods {
  container: Container
  initContainers?: Container[]
  volumes: Record<string, unknown>[]
  user: number
  replicas: number
  serviceName: string
  volumeClaimTemplates?: Record<string, unknown>[]
}

export function statefulSet(
  suite: Wanted,
  what: string,
  pods: StatefulPods,
  facts: Facts,
): KubeObject {
  const { container, initContainers, volumes, volumeClaimTemplates } = pods
  return object(suite, what, ['apps/v1', 'StatefulSet'], {
    spec: {
      serviceName: pods.serviceName,
      replicas: suite.spec.hibernated ? 0 : pods.replicas,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: selectorOf(suite, what) },
      persistentVolumeClaimRetentionPolicy: {
        whenDeleted: retains(suite) ? 'Retain' : 'Delete',
        whenScaled: 'Retain',
      },
      template: {
        metadata: {
          labels: labelsOf(suite, what),
          annotations: secretsChecksum([container], facts),
        },
        spec: {
          serviceAccountName: nameOf(suite, what),
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: identity(pods.user),
          terminationGracePeriodSeconds: 60,
          affinity: apart(suite, what),
          ...(initContainers && { initContainers }),
          containers: [container],
          volumes,
        },
      },
      ...(volumeClaimTemplates && { volumeClaimTemplates }),
    },
  })
}

/** Pods of one kind on nodes of their own, where there are enough. */
export const apart = (suite: Wanted, what: string) => ({
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 100,
        podAffinityTerm: {
          labelSelector: { matchLabels: selectorOf(suite, what) },
          topologyKey: 'kubernetes.io/hostname',
        },
      },
    ],
  },
})
