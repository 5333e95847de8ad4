import * as z from 'zod'
import {
  Annotations,
  Labels,
  ObjectName,
  Repository,
  SecretName,
  text,
} from '../../operator/api/fields.ts'
import { LegalSuiteSpec } from '../../operator/api/legal-suite.ts'
import { Resources, Toleration } from '../../operator/api/service-spec.ts'

const Dashboards = z.object({
  enabled: z
    .boolean()
    .optional()
    .describe('Create a ConfigMap with the Grafana dashboard. Default: false.'),
  labels: Labels.optional().describe(
    'Labels of the ConfigMap, for the sidecar of Grafana. Default: grafana_dashboard: "1".',
  ),
})

const { paused: _, ...specFields } = LegalSuiteSpec.shape

/** The values of the chart: the spec of a LegalSuite without `paused`, and what only a chart has. */
export const Values = z.strictObject({
  ...specFields,
  version: LegalSuiteSpec.shape.version
    .optional()
    .describe('Version of the suite, used as image tag. Default: the version of the chart.'),
  dashboards: Dashboards.optional(),
  handOver: z
    .boolean()
    .optional()
    .describe(
      'Let the operator adopt all objects, and keep them when the release is uninstalled. Default: false.',
    ),
  global: z.looseObject({}).optional().describe('Values of a parent chart. Not used.'),
})

const Watch = z.object({
  scope: z
    .enum(['Namespaces', 'Cluster'])
    .optional()
    .describe('Namespaces: a Role in each. Cluster: a ClusterRole. Default: Namespaces.'),
  namespaces: z
    .array(ObjectName)
    .max(64)
    .optional()
    .describe('Watched namespaces, which must exist. Default: the namespace of the release.'),
})

/** The values of the chart of the operator. */
export const OperatorValues = z.strictObject({
  image: Repository.optional().describe(
    'Image without tag, or with a digest. Default: legal-suite.',
  ),
  version: text(63).optional().describe('Image tag. Default: the version of the chart.'),
  replicas: z.int().min(1).max(5).optional().describe('Replicas, of which one leads. Default: 2.'),
  watch: Watch.optional(),
  crds: z
    .object({
      enabled: z
        .boolean()
        .optional()
        .describe(
          'Install and upgrade the CRDs. They stay when the release is uninstalled. Default: true.',
        ),
    })
    .optional(),
  monitoring: z
    .object({
      enabled: z
        .boolean()
        .optional()
        .describe(
          'Create a ServiceMonitor and alerts if the cluster serves their API. Default: true.',
        ),
      labels: Labels.optional().describe('Labels of both, for the selectors of Prometheus.'),
    })
    .optional(),
  resources: Resources.optional(),
  imagePullSecrets: z.array(SecretName).max(8).optional(),
  nodeSelector: Labels.optional(),
  tolerations: z.array(Toleration).max(16).optional(),
  podAnnotations: Annotations.optional().describe('Additional annotations of the pods.'),
  global: z.looseObject({}).optional().describe('Values of a parent chart. Not used.'),
})

type Schema = { [key: string]: unknown; properties?: Record<string, Schema>; items?: Schema }

/** The JSON Schema that Helm checks values with. Rules between fields are in templates/_validate.tpl. */
export function valuesSchema(values: z.ZodType): Schema {
  const schema = z.toJSONSchema(values, { target: 'draft-7', reused: 'inline' })
  return withoutExtensions(schema as Schema)
}

/** Drops the keywords for the API server. */
function withoutExtensions(value: unknown): Schema {
  if (Array.isArray(value)) return value.map(withoutExtensions) as unknown as Schema
  if (typeof value !== 'object' || value === null) return value as Schema
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !name.startsWith('x-kubernetes-'))
      .map(([name, each]) => [name, withoutExtensions(each)]),
  )
}

/** One row per value. Values of all services share a row. */
export function valuesTable(values: z.ZodType): string {
  const rows: string[] = []
  const visit = (path: string, schema: Schema) => {
    const { properties, items, additionalProperties, description = '' } = schema
    const children = properties ?? (items as Schema | undefined)?.properties
    const isMap = typeof additionalProperties === 'object' && !properties
    const nested = isMap ? (additionalProperties as Schema).properties : children
    if (path && (description || !nested))
      rows.push(`| \`${path}\` | ${describeType(schema)} | ${description} |`)
    const suffix = isMap && nested ? '.<name>' : items && nested ? '[]' : ''
    for (const [name, child] of Object.entries(nested ?? {}))
      visit(path ? `${path}${suffix}.${name}` : name, child)
  }
  visit('', valuesSchema(values))
  return `| Value | Type | Description |\n|---|---|---|\n${rows.join('\n')}\n`
}

function describeType({ type, enum: choices }: Schema): string {
  return Array.isArray(choices)
    ? choices.map((choice) => `\`${choice}\``).join(', ')
    : String(type ?? 'any')
}
