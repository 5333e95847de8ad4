import { stringify } from 'yaml'
import type { LegalSuiteSpec } from '../../operator/api/legal-suite.ts'
import { type ServiceName, serviceNames } from '../../operator/api/service-table.ts'
import { migrateCommand, serviceCommand } from '../../operator/desired/commands.ts'
import { noFacts, type SuiteInput } from '../../operator/desired/common.ts'
import { databaseObjects } from '../../operator/desired/database.ts'
import { gatewayObjects } from '../../operator/desired/gateway.ts'
import { graphObjects } from '../../operator/desired/graph.ts'
import { migrationObjects } from '../../operator/desired/migration.ts'
import { monitoringObjects } from '../../operator/desired/monitoring.ts'
import { networkPolicies } from '../../operator/desired/network-policies.ts'
import { searchObjects } from '../../operator/desired/search.ts'
import { serviceObjects } from '../../operator/desired/service.ts'
import { storageObjects } from '../../operator/desired/storage.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'

const secretRef = { name: 'external', key: 'url' }
const external: LegalSuiteSpec['database'] = { type: 'External', external: { secretRef } }
const oidc = { issuer: 'https://example.com', audience: 'legal', clientId: 'legal' }
const host = 'example.com'
const url = 'https://example.com'

/** A suite whose name, namespace, version and image are placeholders, which the chart replaces. */
const suiteOf = (spec: Partial<LegalSuiteSpec>): SuiteInput => ({
  metadata: { name: '@name@', namespace: '@namespace@' },
  // The operator uses an image with an @ as it is.
  spec: { version: '@version@', image: '@image@', database: external, ...spec },
})

const minimal = suiteOf({})
const withIngress = suiteOf({ gateway: { host, ingress: {}, oidc } })
const withRoute = suiteOf({ gateway: { host, httpRoute: { parentRef: { name: 'edge' } }, oidc } })
const managed = suiteOf({ search: { type: 'Managed' }, graph: { type: 'Managed' } })
const embedded = suiteOf({ database: { type: 'Embedded' } })
const cloudNativePG = suiteOf({
  database: { type: 'CloudNativePG', cloudNativePG: { storage: { size: '1Gi' } } },
})

/** Suites that together have every policy. */
const policySuites = [
  withIngress,
  managed,
  embedded,
  cloudNativePG,
  suiteOf({
    networkPolicy: { egress: 'Open' },
    objectStorage: { type: 'S3', s3: { bucket: 'b', credentialsSecretRef: { name: 's3' } } },
    ai: {
      model: { baseUrl: url, model: 'm' },
      embedding: { baseUrl: url, model: 'm' },
      rerank: { url },
    },
  }),
]

/** Objects as the operator builds them for default values. The templates change what values can change. */
export function baseObjects() {
  const policies = policySuites
    .flatMap((suite) => networkPolicies(suite, noFacts))
    .map((policy): [string, KubeObject] => [
      policy.metadata.name.slice('@name@-allow-'.length).replace(/^database-.*/, 'database'),
      policy,
    ])
  const search = (replicas: number) =>
    searchObjects(suiteOf({ search: { type: 'Managed', managed: { replicas } } }), noFacts)
  const commands = (runtime: 'Node' | 'Deno') => ({
    ...Object.fromEntries(
      serviceNames.map((name) => [name, serviceCommand(suiteOf({ runtime }), name)]),
    ),
    migrate: migrateCommand(suiteOf({ runtime })),
  })
  return {
    commands: { Node: commands('Node'), Deno: commands('Deno') },
    services: Object.fromEntries(
      serviceNames.map((name: ServiceName) => [name, serviceObjects(minimal, name, noFacts)]),
    ),
    postgres: databaseObjects(embedded, noFacts),
    cloudNativePG: databaseObjects(cloudNativePG, noFacts),
    qdrant: search(1),
    qdrantCluster: search(2),
    neo4j: graphObjects(managed, noFacts),
    files: storageObjects(minimal),
    migrate: migrationObjects(minimal, noFacts),
    ingress: gatewayObjects(withIngress),
    httpRoute: gatewayObjects(withRoute),
    monitors: monitoringObjects(withIngress),
    policies: Object.fromEntries(policies),
  }
}

/** Writes `charts/legal-suite/files/base.yaml`. */
export const baseYaml = () =>
  `# Made from operator/desired by \`npm run generate\`.\n${stringify(baseObjects(), { aliasDuplicateObjects: false, lineWidth: 0 })}`
