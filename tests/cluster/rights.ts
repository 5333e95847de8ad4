import type { Access } from '../../operator/runtime/access.ts'
import type { Client } from '../../operator/runtime/client.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { httpTransport, type TransportResponse } from '../../operator/runtime/transport.ts'
import { manifest } from './definitions.ts'
import { clusterAccess } from './support.ts'

export const roleResource = getResource('rbac.authorization.k8s.io/v1', 'Role')
const bindingResource = getResource('rbac.authorization.k8s.io/v1', 'RoleBinding')
const accounts = getResource('v1', 'ServiceAccount')

/** Returns access with the permissions of the shipped roles in this namespace. */
export async function operatorAccess(client: Client, namespace: string): Promise<Access> {
  for (const file of ['1-service-account', '2-role', '3-role-binding']) {
    for (const object of manifest(`operator/deploy/${file}.yaml`)) {
      const namespaced = { ...object, metadata: { ...object.metadata, namespace } } as any
      for (const subject of namespaced.subjects ?? []) subject.namespace = namespace
      const resource =
        object.kind === 'Role'
          ? roleResource
          : object.kind === 'RoleBinding'
            ? bindingResource
            : accounts
      await client.apply(resource, namespaced, { fieldManager: 'tests', force: true })
    }
  }
  const access = await clusterAccess()
  const response = await httpTransport(access)({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/legal-suite-operator/token`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      spec: {},
    }),
    signal: AbortSignal.timeout(10_000),
  })
  const { status } = await json(response)
  const { tls } = await access.credentials()
  const headers = { authorization: `Bearer ${status.token}` }
  return { ...access, credentials: async () => ({ headers, tls: { ca: tls.ca } }) }
}

async function json({ body }: TransportResponse): Promise<any> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

export async function serverVersion(): Promise<string> {
  const send = httpTransport(await clusterAccess())
  const signal = AbortSignal.timeout(10_000)
  return (await json(await send({ method: 'GET', path: '/version', headers: {}, signal })))
    .gitVersion
}

/** Builds a kubeconfig for another process. */
export async function buildKubeconfig({ server, credentials }: Access, namespace: string) {
  const { headers, tls } = await credentials()
  const ca = Buffer.from(tls.ca as Buffer).toString('base64')
  return JSON.stringify({
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace } }],
    clusters: [
      { name: 'test', cluster: { server: server.href, 'certificate-authority-data': ca } },
    ],
    users: [{ name: 'test', user: { token: headers.authorization?.replace('Bearer ', '') } }],
  })
}
