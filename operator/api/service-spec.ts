import * as z from 'zod'
import { atomicList, celRules, Labels, mapList, Quantity, SecretKey, text } from './fields.ts'

const ResourceAmounts = z.object({ cpu: Quantity.optional(), memory: Quantity.optional() })

const requestsWithinLimits = (resource: string) => ({
  rule: `!has(self.requests) || !has(self.limits) || !has(self.requests.${resource}) || !has(self.limits.${resource}) || quantity(self.requests.${resource}).compareTo(quantity(self.limits.${resource})) <= 0`,
  message: `requests.${resource} must not exceed limits.${resource}`,
})

export const Resources = z
  .object({ requests: ResourceAmounts.optional(), limits: ResourceAmounts.optional() })
  .meta(celRules(requestsWithinLimits('cpu'), requestsWithinLimits('memory')))
export type Resources = z.infer<typeof Resources>

const Autoscaling = z
  .object({
    minReplicas: z.int().min(1).max(100).optional().describe('Minimum replicas. Default: 2.'),
    maxReplicas: z.int().min(1).max(100),
    cpuUtilization: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe('Target CPU utilization in percent of the request. Default: 75.'),
    memoryUtilization: z.int().min(1).max(100).optional(),
  })
  .meta(
    celRules({
      rule: '(has(self.minReplicas) ? self.minReplicas : 2) <= self.maxReplicas',
      message: 'minReplicas (default 2) must not exceed maxReplicas',
    }),
  )

/** Variables that the operator sets. A suite cannot override them. */
export const reservedVariables = [
  'BACKGROUND',
  'DATABASE_DRIVER',
  'DATABASE_URL',
  'ENVIRONMENT',
  'HOST',
  'INTERNAL_API_KEY',
  'INTERNAL_API_KEY_ACCEPTED',
  'INTERNAL_API_KEY_DIR',
  'METRICS_TOKEN',
  'MIGRATE',
  'PORT',
] as const

const EnvVariable = z
  .object({
    name: text(256).regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
    value: z.string().max(4096).optional(),
    secretKeyRef: SecretKey.optional(),
  })
  .meta(
    celRules(
      {
        rule: 'has(self.value) != has(self.secretKeyRef)',
        message: 'exactly one of value and secretKeyRef is required',
      },
      {
        rule: `!(self.name in [${reservedVariables.map((name) => `'${name}'`).join(', ')}])`,
        message: 'this variable is set by the operator',
      },
    ),
  )

export const Toleration = z.object({
  key: text(317).optional(),
  operator: z.enum(['Exists', 'Equal']).optional(),
  value: z.string().max(63).optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
  tolerationSeconds: z.int().min(0).max(2_147_483_647).optional(),
})

const TopologySpread = z.object({
  topologyKey: text(317),
  maxSkew: z.int().min(1).max(100).optional().describe('Default: 1.'),
  whenUnsatisfiable: z
    .enum(['DoNotSchedule', 'ScheduleAnyway'])
    .optional()
    .describe('Default: ScheduleAnyway.'),
})

export const ServiceSpec = z
  .object({
    replicas: z.int().min(1).max(100).optional().describe('Default: 1.'),
    autoscaling: Autoscaling.optional(),
    resources: Resources.optional(),
    env: z.array(EnvVariable).max(64).meta(mapList('name')).optional(),
    nodeSelector: Labels.optional(),
    tolerations: z.array(Toleration).max(16).meta(atomicList).optional(),
    topology: z
      .array(TopologySpread)
      .max(4)
      .meta(mapList('topologyKey'))
      .optional()
      .describe('Topology spread constraints. Default: zones and nodes.'),
  })
  .meta(
    celRules({
      rule: '!(has(self.replicas) && has(self.autoscaling))',
      message: 'replicas and autoscaling are mutually exclusive',
    }),
  )
export type ServiceSpec = z.infer<typeof ServiceSpec>
