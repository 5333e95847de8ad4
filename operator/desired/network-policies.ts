import type * as z from 'zod'
import type { Labels } from '../api/fields.ts'
import type { ServiceName } from '../api/service-table.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { port } from './commands.ts'
import {
  buildObject,
  enabledServices,
  type Facts,
  manager,
  objectName,
  type SuiteInput,
  suiteLabel,
} from './common.ts'
import { databaseEgress } from './database-egress.ts'
import { isMonitored } from './monitoring.ts'

type NetworkPeer = {
  namespaceLabels?: z.infer<typeof Labels> | undefined
  podLabels?: z.infer<typeof Labels> | undefined
}
type Rule = Record<string, unknown>

const component = 'app.kubernetes.io/component'
const appName = 'app.kubernetes.io/name'

/** Selects pods of the suite by the value of one label. */
const podSelector = ({ metadata }: SuiteInput, label: string, ...values: string[]) => ({
  matchLabels: { [suiteLabel]: metadata.name },
  matchExpressions: [{ key: label, operator: 'In', values }],
})

const tcp = (...ports: number[]) => ports.map((each) => ({ protocol: 'TCP', port: each }))

const dnsRule = {
  ports: [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ],
}

const toPeer = ({ namespaceLabels, podLabels }: NetworkPeer) => ({
  ...(namespaceLabels && { namespaceSelector: { matchLabels: namespaceLabels } }),
  ...(podLabels && { podSelector: { matchLabels: podLabels } }),
})

function buildPolicy(
  suite: SuiteInput,
  purpose: string,
  selector: unknown,
  rules: { ingress?: Rule[]; egress?: Rule[] },
) {
  const policyTypes = [...(rules.ingress ? ['Ingress'] : []), ...(rules.egress ? ['Egress'] : [])]
  return buildObject(
    suite,
    purpose,
    ['networking.k8s.io/v1', 'NetworkPolicy'],
    { spec: { podSelector: selector, policyTypes, ...rules } },
    { name: objectName(suite, `allow-${purpose}`) },
  )
}

/** Restricts traffic to the listed peers. Policies are additive, so each one only allows. */
export function networkPolicies(suite: SuiteInput, facts: Facts): KubeObject[] {
  const { networkPolicy, gateway } = suite.spec
  if (networkPolicy?.enabled === false) return []
  const from = (label: string, ...values: string[]) => [
    { podSelector: podSelector(suite, label, ...values) },
  ]
  const scrapers = isMonitored(suite)
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
    // First, because any egress policy closes all other egress of its pods.
    ...egressPolicies(suite, facts),
    ...cnpgPolicies(suite),
    buildPolicy(suite, 'services', podSelector(suite, component, 'service', 'job'), {
      ingress: [
        { from: from(component, 'service', 'gateway'), ports: tcp(port) },
        ...(scrapers.length ? [{ from: scrapers.map(toPeer), ports: tcp(port) }] : []),
      ],
    }),
    buildPolicy(suite, 'collector', podSelector(suite, appName, 'collector'), {
      ingress: [{ from: [operator], ports: tcp(port) }],
    }),
    ...(gateway ? [gatewayPolicy(suite, scrapers)] : []),
    ...backendPolicies(suite),
    buildPolicy(suite, 'inside', podSelector(suite, component, 'service', 'gateway', 'job'), {
      egress: [
        dnsRule,
        { to: [{ podSelector: { matchLabels: { [suiteLabel]: suite.metadata.name } } }] },
      ],
    }),
  ]
}

function gatewayPolicy(suite: SuiteInput, scrapers: NetworkPeer[]) {
  const peers = suite.spec.networkPolicy?.gatewayFrom
  const rule = peers
    ? { from: [...peers, ...scrapers].map(toPeer), ports: tcp(port) }
    : { ports: tcp(port) }
  return buildPolicy(suite, 'gateway', podSelector(suite, component, 'gateway'), {
    ingress: [rule],
  })
}

/** Allows ingress to a backend from its clients, and egress only to its peers. */
function backendPolicies(suite: SuiteInput): KubeObject[] {
  const { database, search, graph } = suite.spec
  const from = (label: string, ...values: string[]) => [
    { podSelector: podSelector(suite, label, ...values) },
  ]
  const qdrant = from(appName, 'qdrant')
  return [
    ...(database.type === 'Embedded'
      ? [
          buildPolicy(suite, 'postgres', podSelector(suite, appName, 'postgres'), {
            ingress: [{ from: from(component, 'service', 'gateway', 'job'), ports: tcp(5432) }],
            egress: [dnsRule],
          }),
        ]
      : []),
    ...(search?.type === 'Managed'
      ? [
          buildPolicy(suite, 'qdrant', podSelector(suite, appName, 'qdrant'), {
            ingress: [
              { from: from(appName, 'knowledge'), ports: tcp(6333) },
              { from: qdrant, ports: tcp(6335) },
            ],
            egress: [dnsRule, { to: qdrant, ports: tcp(6335) }],
          }),
        ]
      : []),
    ...(graph?.type === 'Managed'
      ? [
          buildPolicy(suite, 'neo4j', podSelector(suite, appName, 'neo4j'), {
            ingress: [{ from: from(appName, 'knowledge'), ports: tcp(7687) }],
            egress: [dnsRule],
          }),
        ]
      : []),
  ]
}

/** Pods of a CloudNativePG Cluster have the labels of that operator. */
const cnpgPolicies = (suite: SuiteInput): KubeObject[] =>
  suite.spec.database.type === 'CloudNativePG'
    ? [
        buildPolicy(suite, 'pg', podSelector(suite, component, 'service', 'gateway', 'job'), {
          egress: [
            {
              to: [
                { podSelector: { matchLabels: { 'cnpg.io/cluster': objectName(suite, 'pg') } } },
              ],
              ports: tcp(5432),
            },
          ],
        }),
      ]
    : []

/**
 * Allows unrestricted egress for pods whose configuration names an external endpoint. There is one policy per
 * reason: a reason that disappears removes a policy, which waits until the pods that need it are replaced.
 */
function egressPolicies(suite: SuiteInput, facts: Facts): KubeObject[] {
  const { database, search, graph, objectStorage, ai, networkPolicy } = suite.spec
  const allPods = podSelector(suite, component, 'service', 'gateway', 'job')
  const allow = (purpose: string, selector: unknown) =>
    buildPolicy(suite, purpose, selector, { egress: [{}] })
  const externalDatabase = (selector: unknown) => {
    const { purpose, rule } = databaseEgress(suite, facts)
    return buildPolicy(suite, purpose, selector, { egress: [rule] })
  }
  const needsEgress: Partial<Record<ServiceName, boolean>> = {
    'ai-engine': Boolean(ai?.model),
    memory: Boolean(ai?.rerank),
    files: objectStorage?.type === 'S3',
    knowledge:
      Boolean(ai?.embedding ?? ai?.rerank) ||
      search?.type === 'External' ||
      graph?.type === 'External',
  }
  return [
    ...(database.type === 'External' ? [externalDatabase(allPods)] : []),
    allow('outside', podSelector(suite, appName, 'collector', 'gateway')),
    ...(networkPolicy?.egress === 'Open' ? [allow('open-egress', allPods)] : []),
    ...enabledServices(suite)
      .filter((name) => needsEgress[name])
      .map((name) => allow(`egress-${name}`, podSelector(suite, appName, name))),
  ]
}
