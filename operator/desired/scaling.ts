import type { ServiceName } from '../api/service-table.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { buildObject, objectName, type SuiteInput, selectorLabels } from './common.ts'

const utilization = (name: string, averageUtilization: number) => ({
  type: 'Resource',
  resource: { name, target: { type: 'Utilization', averageUtilization } },
})

/** With an autoscaler the Deployment does not set `replicas`: both would overwrite each other. */
export function autoscaler(suite: SuiteInput, name: ServiceName): KubeObject[] {
  const { autoscaling } = suite.spec.services?.[name] ?? {}
  if (!autoscaling || suite.spec.hibernated) return []
  const { minReplicas = 2, maxReplicas, cpuUtilization = 75, memoryUtilization } = autoscaling
  const metrics = [
    utilization('cpu', cpuUtilization),
    ...(memoryUtilization ? [utilization('memory', memoryUtilization)] : []),
  ]
  const scaleTargetRef = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: objectName(suite, name),
  }
  return [
    buildObject(suite, name, ['autoscaling/v2', 'HorizontalPodAutoscaler'], {
      spec: { scaleTargetRef, minReplicas, maxReplicas, metrics },
    }),
  ]
}

const defaultSpread = [
  { topologyKey: 'topology.kubernetes.io/zone' },
  { topologyKey: 'kubernetes.io/hostname' },
]

/** Node selection and topology spread. */
export function scheduling(suite: SuiteInput, name: ServiceName) {
  const { nodeSelector, tolerations, topology } = suite.spec.services?.[name] ?? {}
  const spread: {
    topologyKey: string
    maxSkew?: number | undefined
    whenUnsatisfiable?: string | undefined
  }[] = topology ?? defaultSpread
  return {
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations }),
    topologySpreadConstraints: spread.map(
      ({ topologyKey, maxSkew = 1, whenUnsatisfiable = 'ScheduleAnyway' }) => ({
        topologyKey,
        maxSkew,
        whenUnsatisfiable,
        labelSelector: { matchLabels: selectorLabels(suite, name) },
      }),
    ),
  }
}
