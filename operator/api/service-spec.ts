import * as z from 'zod'
import { atomic, Labels, mapKeys, Quantity, rules, SecretKey, text } from './fields.ts'

/** The services of a suite. */
export const serviceNames = [
  'memory',
  'ai-engine',
  'consultations',
  'matter',
  'knowledge',
  'collector',
  'platform',
  'files',
  'gateway',
] as const
export type ServiceName = (typeof serviceNames)[number]

const Amounts = z.object({ cpu: Quantity.optional(), memory: Quantity.optional() })

const within = (what: string) => ({
  rule: `!has(self.requests) || !has(self.limits) || !has(self.requests.${what}) || !has(self.limits.${what}) || quantity(self.requests.${what}).compareTo(quantity(self.limits.${what})) <= 0`,
  message: `requests.${what} may not exceed limits.${what}`,
})

export const Resources = z
  .object({ requests: Amounts.optional(), limits: Amounts.optional() })
  .meta(rules(within('cpu'), within('memory')))
export type Resources = z.infer<typeof Resources>

const Autoscaling = z
  .object({
    minReplicas: z.int().min(1).max(100).optional().describe('2 unless it says otherwise.'),
    maxReplicas: z.int().min(1).max(100),
    cpuUtilization: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe('The share of the requested CPU to aim at, in percent; 75 where nothing is said.'),
    memoryUtilization: z.int().min(1).max(100).optional(),
  })
  .meta(
    rules({
      rule: '(has(self.minReplicas) ? self.minReplicas : 2) <= self.maxReplicas',
      message: 'minReplicas (2 when unset) may not exceed maxReplicas',
    }),
  )

/** What the operator itself says; a suite that said it too would be at odds with its own. */
export const reservedVariables = [
  'BACKGROUND',
  'DATABASE_DRIVER',
  'DATABASE_URL',
  'ENVIRONMENT',
  'HOST',
  'INTERNAL_API_KEY',
  'INTERNAL_API_KEY_ACCEPTED',
  'INTERNAL_API_KEY_DIR',
  'MIGRATE',
  'PORT',
] as const

const Variable = z
  .object({
    name: text(256).regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
    value: z.string().max(4096).optional(),
    secretKeyRef: SecretKey.optional(),
  })
  .meta(
    rules(
      {
        rule: 'has(self.value) != has(self.secretKeyRef)',
        message: 'give either value or secretKeyRef',
      },
      {
        rule: `!(self.name in [${reservedVariables.map((name) => `'${name}'`).join(', ')}])`,
        message: 'this variable is set by the operator',
      },
    ),
  )

const Toleration = z.object({
  key: text(317).optional(),
  operator: z.enum(['Exists', 'Equal']).optional(),
  value: z.string().max(63).optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
  tolerationSeconds: z.int().min(0).max(2_147_483_647).optional(),
})

const Spread = z.object({
  topologyKey: text(317),
  maxSkew: z.int().min(1).max(100).optional().describe('1 unless it says otherwise.'),
  whenUnsatisfiable: z
    .enum(['DoNotSchedule', 'ScheduleAnyway'])
    .optional()
    .describe('ScheduleAnyway unless it says otherwise.'),
})

export const ServiceSpec = z
  .object({
    replicas: z.int().min(1).max(100).optional().describe('1 unless it says otherwise.'),
    autoscaling: Autoscaling.optional(),
    resources: Resources.optional(),
    env: z.array(Variable).max(64).meta(mapKeys('name')).optional(),
    nodeSelector: Labels.optional(),
    tolerations: z.array(Toleration).max(16).meta(atomic).optional(),
    topology: z
      .array(Spread)
      .max(4)
      .meta(mapKeys('topologyKey'))
      .optional()
      .describe('How pods are spread; over zones and nodes where nothing is said.'),
  })
  .meta(
    rules({
      rule: '!(has(self.replicas) && has(self.autoscaling))',
      message: 'give either replicas or autoscaling',
    }),
  )
export type ServiceSpec = z.infer<typeof ServiceSpec>
