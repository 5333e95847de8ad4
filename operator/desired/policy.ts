import type * as z from 'zod'
import type { Labels } from '../api/fields.ts'
import type { KubeObject } from '../runtime/objects.ts'
import {
  type Facts,
  manager,
  nameOf,
  object,
  servicesOf,
  suiteLabel,
  type Wanted,
} from './common.ts'
import { monitored } from './monitoring.ts'
import { port } from './runtime.ts'

type Source = {
  namespaceLabels?: z.infer<typeof Labels> | undefined
  podLabels?: z.infer<typeof Labels> | undefined
}
type Rule = Record<string, unknown>

const component = 'app.kubernetes.io/component'
const appName = 'app.kubernetes.io/name'

/** Who of the suite: by what it is to the network, or by its own name. */
const pods = ({ metadata }: Wanted, label: string, ...values: string[]) => ({
  matchLabels: { [suiteLabel]: metadata.name },
  matchExpressions: [{ key: label, operator: 'In', values }],
})

const tcp = (...ports: number[]) => ports.map((each) => ({ protocol: 'TCP', port: each }))

const names = {
  ports: [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ],
}

const sourceOf = ({ namespaceLabels, podLabels }: Source) => ({
  ...(namespaceLabels && { namespaceSelector: { matchLabels: namespaceLabels } }),
  ...(podLabels && { podSelector: { matchLabels: podLabels } }),
})

function policy(
  suite: Wanted,
  what: string,
  chosen: unknown,
  rules: { ingress?: Rule[]; egress?: Rule[] },
) {
  const policyTypes = [...(rules.ingress ? ['Ingress'] : []), ...(rules.egress ? ['Egress'] : [])]
  return object(
    suite,
    what,
    ['networking.k8s.io/v1', 'NetworkPolicy'],
    { spec: { podSelector: chosen, policyTypes, ...rules } },
    { name: nameOf(suite, `allow-${what}`) },
  )
}

/** Pods of the suite are closed to all but those named here; policies only ever add. */
export function policies(suite: Wanted, facts: Facts): KubeObject[] {
  const { networkPolicy, gateway } = suite.spec
  if (networkPolicy?.enabled === false) return []
  const from = (label: string, ...values: string[]) => [
    { podSelector: pods(suite, label, ...values) },
  ]
  const scrapers = monitored(suite)
    ? (networkPolicy?.metricsFrom ?? [
        { namespaceLabels: { 'kubernetes.io/metadata.name': 'monitoring' } },
      ])
    : []
  const operator = {
    namespaceSelector: {
      matchLabels: { 'kubernetes.io/metadata.name': facts.operatorNamespace },
    },
    podSelector: { matchLabels: { [appName]: manager } },
  }
  return [
    policy(suite, 'services', pods(suite, component, 'service', 'job'), {
      ingress: [
        { from: from(component, 'service', 'gateway'), ports: tcp(port) },
        ...(scrapers.length ? [{ from: scrapers.map(sourceOf), ports: tcp(port) }] : []),
      ],
    }),
    policy(suite, 'collector', pods(suite, appName, 'collector'), {
      ingress: [{ from: [operator], ports: tcp(port) }],
    }),
    ...(gateway ? [gatewayPolicy(suite, scrapers)] : []),
    ...backends(suite),
    policy(suite, 'inside', pods(suite, component, 'service', 'gateway', 'job'), {
      egress: [
        names,
        { to: [{ podSelector: { matchLabels: { [suiteLabel]: suite.metadata.name } } }] },
        ...clusterEgress(suite),
      ],
    }),
    ...outside(suite),
  ]
}

function gatewayPolicy(suite: Wanted, scrapers: Source[]) {
  const sources = suite.spec.networkPolicy?.gatewayFrom
  const rule = sources
    ? { from: [...sources, ...scrapers].map(sourceOf), ports: tcp(port) }
    : { ports: tcp(port) }
  return policy(suite, 'gateway', pods(suite, component, 'gateway'), { ingress: [rule] })
}

/** A backend is reached by those who use it, and reaches nobody but its like. */
function backends(suite: Wanted): KubeObject[] {
  const { database, search, graph } = suite.spec
  const from = (label: string, ...values: string[]) => [
    { podSelector: pods(suite, label, ...values) },
  ]
  const qdrant = from(appName, 'qdrant')
  return [
    ...(database.type === 'Embedded'
      ? [
          policy(suite, 'postgres', pods(suite, appName, 'postgres'), {
            ingress: [{ from: from(component, 'service', 'gateway', 'job'), ports: tcp(5432) }],
            egress: [names],
          }),
        ]
      : []),
    ...(search?.type === 'Managed'
      ? [
          policy(suite, 'qdrant', pods(suite, appName, 'qdrant'), {
            ingress: [
              { from: from(appName, 'knowledge'), ports: tcp(6333) },
              { from: qdrant, ports: tcp(6335) },
            ],
            egress: [names, { to: qdrant, ports: tcp(6335) }],
          }),
        ]
      : []),
    ...(graph?.type === 'Managed'
      ? [
          policy(suite, 'neo4j', pods(suite, appName, 'neo4j'), {
            ingress: [{ from: from(appName, 'knowledge'), ports: tcp(7687) }],
            egress: [names],
          }),
        ]
      : []),
  ]
}

const clusterEgress = (suite: Wanted): Rule[] =>
  suite.spec.database.type === 'CloudNativePG'
    ? [
        {
          to: [{ podSelector: { matchLabels: { 'cnpg.io/cluster': nameOf(suite, 'pg') } } }],
          ports: tcp(5432),
        },
      ]
    : []

/** Those whose configuration names something that is not of the suite. */
function outside(suite: Wanted): KubeObject[] {
  const { database, search, graph, objectStorage, ai, networkPolicy } = suite.spec
  const all = database.type === 'External' || networkPolicy?.egress === 'Open'
  const needs: Record<string, boolean> = {
    collector: true,
    gateway: true,
    migrate: false,
    'ai-engine': Boolean(ai?.model),
    memory: Boolean(ai?.rerank),
    files: objectStorage?.type === 'S3',
    knowledge:
      Boolean(ai?.embedding ?? ai?.rerank) ||
      search?.type === 'External' ||
      graph?.type === 'External',
  }
  const chosen = [...servicesOf(suite), 'migrate'].filter((name) => all || needs[name])
  return [policy(suite, 'outside', pods(suite, appName, ...chosen), { egress: [{}] })]
}
