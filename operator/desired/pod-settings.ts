import { restartAnnotation, type SuiteInput } from './common.ts'
import type { Container, Mount, Volume } from './pod.ts'

export type PodTemplate = {
  metadata: { labels: Record<string, string>; annotations: Record<string, string> }
  spec: {
    containers: Container[]
    initContainers?: Container[]
    volumes: Record<string, unknown>[]
    securityContext: Record<string, unknown>
    nodeSelector?: Record<string, string>
    tolerations?: unknown
    affinity?: Record<string, unknown>
  } & Record<string, unknown>
}

/**
 * Adds the pod settings of the suite to a pod template. Labels and annotations of the operator have
 * priority, because selectors and network policies depend on them.
 */
export function withPodSettings(suite: SuiteInput, { metadata, spec }: PodTemplate): PodTemplate {
  const { pods = {} } = suite.spec
  const restartedAt = suite.metadata.annotations?.[restartAnnotation]
  const { imagePullSecrets, priorityClassName, nodeSelector, tolerations, affinity } = pods
  return {
    metadata: {
      labels: { ...pods.labels, ...metadata.labels },
      annotations: {
        ...pods.annotations,
        ...metadata.annotations,
        ...(restartedAt && { [restartAnnotation]: restartedAt }),
      },
    },
    spec: {
      ...withVolumes(suite, spec),
      ...(imagePullSecrets && { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
      ...(priorityClassName && { priorityClassName }),
      ...(nodeSelector && { nodeSelector: { ...nodeSelector, ...spec.nodeSelector } }),
      ...(tolerations && !spec.tolerations && { tolerations }),
      ...(affinity && { affinity: { ...spec.affinity, ...affinity } }),
      ...(pods.userIds === 'Assigned' && { securityContext: withoutIds(spec.securityContext) }),
    },
  }
}

/** Mounts the additional volumes into all containers. */
function withVolumes({ spec: { pods } }: SuiteInput, spec: PodTemplate['spec']) {
  const extra = pods?.volumes ?? []
  if (extra.length === 0) return spec
  const volumeName = (name: string) => `extra-${name}`
  const volumes: Volume[] = extra.map(({ name, secretName, configMapName }) => ({
    name: volumeName(name),
    ...(secretName ? { secret: { secretName } } : { configMap: { name: configMapName } }),
  }))
  const mounts: Mount[] = extra.map(({ name, mountPath }) => ({
    name: volumeName(name),
    mountPath,
    readOnly: true,
  }))
  const mount = (container: Container): Container => ({
    ...container,
    volumeMounts: [...(container.volumeMounts ?? []), ...mounts],
  })
  return {
    ...spec,
    containers: spec.containers.map(mount),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(mount) }),
    volumes: [...spec.volumes, ...volumes],
  }
}

const withoutIds = ({ runAsUser, runAsGroup, fsGroup, ...rest }: Record<string, unknown>) => rest
