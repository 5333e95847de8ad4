import type { ServiceName } from '../api/service-spec.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { nameOf, object, selectorOf, type Wanted } from './common.ts'

const utilization = (name: string, averageUtilization: number) => ({
  type: 'Resource',
  resource: { name, target: { type: 'Utilization', averageUtilization } },
})

/** Where there is one, the Deployment says nothing of replicas: the two would fight over it. */
export function autoscaler(suite: Wanted, name: ServiceName): KubeObject[] {
  const { autoscaling } = suite.spec.services?.[name] ?? {}
  if (!autoscaling || suite.spec.hibernated) return []
  const { minReplicas = 2, maxReplicas, cpuUtilization = 75, memoryUtilization } = autoscaling
  const metrics = [
    utilization('cpu', cpuUtilization),
    ...(memoryUtilization ? [utilization('memory', memoryUtilization)] : []),
  ]
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: nameOf(suite, name) }
  return [
    object(suite, name, ['autoscaling/v2', 'HorizontalPodAutoscaler'], {
      spec: { scaleTargetRef, minReplicas, maxReplicas, metrics },
    }),
  ]
}

const everywhere = [
  { topologyKey: 'topology.kubernetes.io/zone' },
  { topologyKey: 'kubernetes.io/hostname' },
]

/** Which nodes pods may go to, and how they are spread over them. */
export function scheduling(suite: Wanted, name: ServiceName) {
  const { nodeSelector, tolerations, topology } = suite.spec.services?.[name] ?? {}
  const spread: {
    topologyKey: string
    maxSkew?: number | undefined
    whenUnsatisfiable?: string | undefined
  }[] = topology ?? everywhere
  return {
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations }),
    topologySpreadConstraints: spread.map(
      ({ topologyKey, maxSkew = 1, whenUnsatisfiable = 'ScheduleAnyway' }) => ({
        topologyKey,
        maxSkew,
        whenUnsatisfiable,
        labelSelector: { matchLabels: selectorOf(suite, name) },
      }),
    ),
  }
}
