import { resolve } from 'node:path'
import { expect } from 'vitest'
import type { LegalSuiteSpec } from '../../../operator/api/legal-suite.ts'
import { objectsIn } from '../objects.ts'
import { clusterClient, eventually } from '../support.ts'
import { writeBundle } from './bundle.ts'
import { clientObjects } from './client.ts'
import { versions } from './images.ts'
import { buildIssuer, oidc } from './issuer.ts'
import { applyObjects, kubectl } from './kubectl.ts'
import { clientsNamespace, suiteNamespace } from './namespaces.ts'

const repository = resolve(import.meta.dirname, '../../..')
const readyWithinMs = 600_000

export const namespaceObject = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
})

/** Creates the namespaces of suite and clients, and the operator as it is shipped. Returns a bearer token. */
export async function prepareNamespaces(): Promise<string> {
  const image = `legal-suite:${versions.current}`
  const [suite, clients] = [suiteNamespace(), clientsNamespace()]
  await applyObjects('default', [suite, clients].map(namespaceObject))
  const { objects, certificate, token } = await buildIssuer(clients, image)
  await applyObjects(clients, [...objects, ...clientObjects(image)])
  await applyObjects(suite, [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'issuer' }, data: { certificate } },
  ])
  await kubectl(['apply', '--server-side', '--filename', resolve(repository, 'crds')])
  const deploy = resolve(repository, 'operator/deploy')
  await kubectl(['--namespace', suite, 'apply', '--filename', deploy])
  await kubectl([
    ...['--namespace', clients, 'wait', 'pod', '--all', '--for=condition=Ready'],
    '--timeout=300s',
  ])
  return token
}

export const removeNamespaces = () =>
  kubectl(['delete', 'namespace', suiteNamespace(), clientsNamespace(), '--ignore-not-found'])

/** The suite of the tests: production, with a gateway that accepts tokens of the issuer. */
export const suiteSpec = (): LegalSuiteSpec => ({
  version: versions.current,
  image: 'legal-suite',
  environment: 'production',
  pods: { volumes: [{ name: 'issuer', mountPath: '/etc/issuer', configMapName: 'issuer' }] },
  services: {
    gateway: {
      env: [
        { name: 'NODE_EXTRA_CA_CERTS', value: '/etc/issuer/certificate' },
        { name: 'OIDC_ROLE_GRANTS', value: 'testers=lawyer' },
        { name: 'GATEWAY_RATE_TOKEN', value: '1000000' },
        { name: 'GATEWAY_RATE_USER', value: '1000000' },
      ],
    },
  },
  gateway: { host: 'suite.test', oidc: oidc(clientsNamespace()) },
  database: { type: 'Embedded', embedded: { storage: { size: '1Gi' } } },
  objectStorage: { type: 'Volume', volume: { storage: { size: '1Gi' } } },
  seeds: { packageIds: ['platform_defaults', 'knowledge_structured_seeds'] },
})

export const buildManifest = (spec: LegalSuiteSpec, name = 'demo') => ({
  apiVersion: 'legalsuite.dev/v1alpha1',
  kind: 'LegalSuite',
  metadata: { name },
  spec,
})

/** Objects of the namespace of the suite. */
export const suiteObjects = async () => objectsIn(await clusterClient(), suiteNamespace())

/**
 * Applies the suite of the tests and waits until it is Ready. Test files share it: each calls this first and leaves
 * a suite that can become Ready.
 */
export async function ensureSuite() {
  await applyObjects(suiteNamespace(), [buildManifest(suiteSpec())])
  return waitUntilReady()
}

/** Waits until the current generation of the suite is Ready. A failure writes a support bundle. */
export async function waitUntilReady(name = 'demo') {
  const at = await suiteObjects()
  try {
    return await at.settled(name, readyWithinMs)
  } catch (error) {
    await writeBundle(`${name} is not ready`)
    throw error
  }
}

/** Changes the spec of the suite by a merge patch. */
export const editSuite = async (spec: object) =>
  (await suiteObjects()).patch('LegalSuite', 'demo', { spec })

/** Waits until the status of the suite matches. */
export const expectStatus = async (expected: object, within = 300_000) => {
  const at = await suiteObjects()
  return eventually(
    async () => expect((await at.get('LegalSuite', 'demo')).status).toMatchObject(expected),
    within,
  )
}

/** Runs SQL in the database of the suite, by a pod of the suite. */
export async function queryDatabase(statement: string): Promise<any[]> {
  const script = `import postgres from 'postgres'
    const sql = postgres(process.env.DATABASE_URL, { max: 1 })
    console.log(JSON.stringify(await sql.unsafe(process.argv[1])))
    await sql.end()`
  const output = await kubectl([
    ...['--namespace', suiteNamespace(), 'exec', 'deployment/demo-memory', '--'],
    ...['node', '--input-type=module', '--eval', script, statement],
  ])
  return JSON.parse(output)
}
