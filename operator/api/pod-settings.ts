import * as z from 'zod'
import {
  Annotations,
  atomicList,
  celRules,
  Labels,
  mapList,
  ObjectName,
  SecretName,
  text,
} from './fields.ts'
import { Toleration } from './service-spec.ts'

/** A Secret or ConfigMap that is mounted into every container, for example the CA of a database. */
const ExtraVolume = z
  .object({
    name: text(50).regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/),
    mountPath: text(256).regex(/^\/[^:\s]+$/),
    secretName: SecretName.optional(),
    configMapName: ObjectName.describe(
      'Name of a ConfigMap in the namespace of the suite.',
    ).optional(),
  })
  .meta(
    celRules({
      rule: 'has(self.secretName) != has(self.configMapName)',
      message: 'exactly one of secretName and configMapName is required',
    }),
  )

/** Settings of all pods of a suite: services, managed backends and the migration. */
export const PodSettings = z.object({
  imagePullSecrets: z
    .array(SecretName)
    .max(8)
    .meta(atomicList)
    .optional()
    .describe('Secrets with the credentials of the image registries.'),
  priorityClassName: ObjectName.optional(),
  nodeSelector: Labels.optional().describe('Node labels. Merged with those of a service.'),
  tolerations: z
    .array(Toleration)
    .max(16)
    .meta(atomicList)
    .optional()
    .describe('Tolerations of pods whose service sets none.'),
  affinity: z
    .record(z.string(), z.unknown())
    .meta({ 'x-kubernetes-preserve-unknown-fields': true })
    .optional()
    .describe('Affinity as in a pod. Its members replace the defaults of the operator.'),
  labels: Labels.optional().describe('Additional labels of the pods.'),
  annotations: Annotations.optional().describe('Additional annotations of the pods.'),
  volumes: z.array(ExtraVolume).max(8).meta(mapList('name')).optional(),
  userIds: z
    .enum(['Fixed', 'Assigned'])
    .optional()
    .describe(
      'User and group ids. Assigned: the platform assigns them, as OpenShift does. Default: Fixed.',
    ),
})
