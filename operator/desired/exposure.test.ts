import { describe, expect, test } from 'vitest'
import type { LegalSuiteSpec } from '../api/legal-suite.ts'
import { containerVariables, find, listNames } from '../testing/queries.ts'
import { buildSuite, fullSpec } from '../testing/suites.ts'
import { parseDatabaseTarget } from './database-egress.ts'
import { desired } from './index.ts'

const facts = {
  secrets: new Map<string, string>(),
  operatorNamespace: 'operators',
}
const of = (spec: Partial<LegalSuiteSpec> = {}) => desired(buildSuite(spec), facts)
const policy = (spec: Partial<LegalSuiteSpec>, name: string) =>
  find(of(spec), 'NetworkPolicy', `demo-allow-${name}`)?.spec

describe('gateway', () => {
  const oidc = { issuer: 'https://login.example.com', audience: 'legal', clientId: 'legal' }

  test('without a gateway in the spec there are no gateway objects', () => {
    expect(listNames(of(), 'Deployment')).not.toContain('demo-gateway')
    expect(listNames(of({ gateway: { host: 'a.example.com', oidc } }), 'Deployment')).toContain(
      'demo-gateway',
    )
  })

  test('ingress routes the host to the gateway with class, annotations and certificate', () => {
    const { metadata, spec } = find(of(fullSpec), 'Ingress', 'demo-gateway')
    expect(metadata.annotations).toEqual({ 'example.com/size': '100m' })
    expect(spec).toMatchObject({
      ingressClassName: 'nginx',
      tls: [{ hosts: ['legal.example.com'], secretName: 'legal-tls' }],
      rules: [
        {
          host: 'legal.example.com',
          http: { paths: [{ backend: { service: { name: 'demo-gateway' } } }] },
        },
      ],
    })
  })

  test('httpRoute attaches the host to the Gateway', () => {
    const parentRef = { name: 'edge', namespace: 'infra', sectionName: 'https' }
    const spec = { gateway: { host: 'a.example.com', httpRoute: { parentRef }, oidc } }
    expect(find(of(spec), 'HTTPRoute', 'demo-gateway').spec).toMatchObject({
      parentRefs: [parentRef],
      hostnames: ['a.example.com'],
      rules: [{ backendRefs: [{ name: 'demo-gateway', port: 8080 }] }],
    })
    expect(listNames(of(spec), 'Ingress')).toEqual([])
  })

  test('host and oidc are passed to the gateway, and the host to files-service', () => {
    expect(containerVariables(of(fullSpec), 'demo-gateway')).toMatchObject({
      PUBLIC_URL: 'https://legal.example.com',
      OIDC_ISSUER: 'https://login.example.com',
      OIDC_AUDIENCE: 'legal',
      OIDC_CLIENT_ID: 'legal-console',
      OIDC_CLIENT_SECRET: 'secret:oidc/client-secret',
      GATEWAY_ENCRYPTION_KEY: 'secret:demo-gateway-encryption/key',
      GATEWAY_TRUSTED_PROXIES: '1',
    })
    expect(containerVariables(of(fullSpec), 'demo-files').FILES_PUBLIC_URL).toBe(
      'https://legal.example.com/files-service',
    )
    const plain = of({ gateway: { host: 'a.example.com', ingress: {}, oidc } })
    expect(containerVariables(plain, 'demo-files').FILES_PUBLIC_URL).toMatch(/^http:/)
  })
})

describe('networkPolicy', () => {
  const selectedApps = ({ podSelector }: any) => podSelector.matchExpressions[0].values

  test('services accept services and the gateway; collector also accepts the operator', () => {
    const { podSelector, ingress } = policy({ monitoring: { enabled: false } }, 'services')
    expect(podSelector.matchLabels).toEqual({ 'legalsuite.dev/suite': 'demo' })
    expect(ingress).toHaveLength(1)
    expect(selectedApps(ingress[0].from[0])).toEqual(['service', 'gateway'])
    expect(ingress[0].ports).toEqual([{ protocol: 'TCP', port: 8080 }])
    const [operator] = policy({}, 'collector').ingress[0].from
    expect(operator).toEqual({
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'operators' } },
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'legal-suite-operator' } },
    })
  })

  test('the gateway accepts all peers, or only those of gatewayFrom', () => {
    const open = policy({ ...fullSpec, networkPolicy: {} }, 'gateway')
    expect(open.ingress).toEqual([{ ports: [{ protocol: 'TCP', port: 8080 }] }])
    const [rule] = policy(fullSpec, 'gateway').ingress
    expect(rule.from[0].namespaceSelector.matchLabels).toEqual({
      'kubernetes.io/metadata.name': 'ingress',
    })
  })

  test('metrics accept the namespace monitoring, or the peers of metricsFrom', () => {
    const scrapers = (spec: Partial<LegalSuiteSpec>) => policy(spec, 'services').ingress[1].from
    expect(scrapers({})[0].namespaceSelector.matchLabels).toEqual({
      'kubernetes.io/metadata.name': 'monitoring',
    })
    expect(scrapers(fullSpec)).toEqual([
      {
        namespaceSelector: { matchLabels: { role: 'metrics' } },
        podSelector: { matchLabels: { app: 'prometheus' } },
      },
    ])
  })

  test('backends accept only their clients and have egress only to their peers', () => {
    expect(selectedApps(policy(fullSpec, 'qdrant').ingress[0].from[0])).toEqual(['knowledge'])
    expect(selectedApps(policy(fullSpec, 'neo4j').ingress[0].from[0])).toEqual(['knowledge'])
    expect(selectedApps(policy(fullSpec, 'postgres').ingress[0].from[0])).toEqual([
      'service',
      'gateway',
      'job',
    ])
    expect(policy(fullSpec, 'postgres').egress).toHaveLength(1)
    expect(policy({}, 'postgres')).toBeUndefined()
  })

  test('only pods with a configured external endpoint have external egress', () => {
    const egress = (spec: Partial<LegalSuiteSpec>) =>
      of(spec)
        .filter(({ kind, spec }: any) => kind === 'NetworkPolicy' && isOpen(spec.egress))
        .map(({ spec }: any) => selectedApps(spec))
    const isOpen = (rules: object[] = []) => rules.some((rule) => Object.keys(rule).length === 0)
    const inside = { database: { type: 'Embedded' } } as const
    const always = ['collector', 'gateway']
    const all = ['service', 'gateway', 'job']
    expect(egress(inside)).toEqual([always])
    expect(egress(fullSpec)).toEqual([always, ['memory'], ['ai-engine'], ['knowledge'], ['files']])
    expect(egress({})).toEqual([always])
    expect(egress({ ...inside, networkPolicy: { egress: 'Open' } })).toEqual([always, all])
  })

  test('egress to an external database is limited to its port and address', () => {
    const rules = (database: { host: string; port: number }, cidrs?: string[]) => {
      const external = { secretRef: { name: 'db', key: 'url' }, ...(cidrs && { cidrs }) }
      const suite = buildSuite({ database: { type: 'External', external } })
      const found = desired(suite, { ...facts, database }).filter(({ metadata }) =>
        metadata.name.startsWith('demo-allow-database-'),
      )
      expect(found).toHaveLength(1)
      return (found[0] as any).spec.egress
    }
    const ports = [{ protocol: 'TCP', port: 6432 }]
    expect(rules({ host: 'db.example.com', port: 6432 })).toEqual([{ ports }])
    expect(rules({ host: '10.1.2.3', port: 6432 })).toEqual([
      { to: [{ ipBlock: { cidr: '10.1.2.3/32' } }], ports },
    ])
    expect(rules({ host: 'db.example.com', port: 6432 }, ['10.0.0.0/8'])).toEqual([
      { to: [{ ipBlock: { cidr: '10.0.0.0/8' } }], ports },
    ])
  })

  test.each([
    ['postgres://u:p@db.example.com/legal', undefined, { host: 'db.example.com', port: 5432 }],
    ['postgres://u:p@[fd00::1]:6432/legal', undefined, { host: 'fd00::1', port: 6432 }],
    ['postgres://u:p@db.neon.tech/legal', '', { host: 'db.neon.tech', port: 443 }],
    ['postgres://u:p@db/legal', 'proxy:5433/v1', { host: 'proxy', port: 5433 }],
    ['not a url', undefined, undefined],
  ])('the target of %s with proxy %s is %o', (url, proxy, target) => {
    expect(parseDatabaseTarget(url, proxy)).toEqual(target)
  })

  test('egress to a CloudNativePG cluster is allowed by its label', () => {
    const database = { type: 'CloudNativePG', cloudNativePG: { storage: { size: '1Gi' } } } as const
    expect(policy({ database }, 'pg').egress[0].to[0].podSelector.matchLabels).toEqual({
      'cnpg.io/cluster': 'demo-pg',
    })
  })

  test('enabled: false creates no network policies', () => {
    expect(listNames(of({ networkPolicy: { enabled: false } }), 'NetworkPolicy')).toEqual([])
  })
})

describe('monitoring', () => {
  test('one ServiceMonitor selects all services', () => {
    const monitor = find(of(fullSpec), 'ServiceMonitor', 'demo-metrics')
    expect(monitor.metadata.labels.release).toBe('prometheus')
    expect(monitor.spec.endpoints[0]).toMatchObject({
      interval: '15s',
      path: '/api/v1/internal/actuator/prometheus',
      authorization: { credentials: { name: 'demo-metrics', key: 'token' } },
    })
    expect(find(of(fullSpec), 'ServiceMonitor', 'demo-gateway').spec.endpoints[0].path).toBe(
      '/metrics',
    )
    expect(containerVariables(of(fullSpec), 'demo-memory').METRICS_TOKEN).toBe(
      'secret:demo-metrics/token',
    )
    expect(JSON.stringify(monitor)).not.toContain('our-key')
    expect(listNames(of({ monitoring: { enabled: false } }), 'ServiceMonitor')).toEqual([])
  })
})
