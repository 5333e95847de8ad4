import { randomBytes } from 'node:crypto'
import { type Access, kubeconfigAccess } from '../../operator/runtime/access.ts'
import { type Client, makeClient } from '../../operator/runtime/client.ts'

export const clusterAccess = (): Promise<Access> =>
  kubeconfigAccess(process.env.TEST_KUBECONFIG ?? '')

const namespaces = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
}

/** Creates a namespace that is deleted on dispose. `labels` can set a Pod Security Standard. */
export async function freshNamespace(client: Client, labels: Record<string, string> = {}) {
  const name = `test-${randomBytes(5).toString('hex')}`
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }
  await client.create(namespaces, object)
  return {
    name,
    [Symbol.asyncDispose]: async () => void (await client.delete(namespaces, { name })),
  }
}

export const clusterClient = async () => makeClient({ access: await clusterAccess() })

/** Retries an assertion until it passes. Throws its last failure. The limit allows for a busy machine. */
export async function eventually<T>(check: () => T | Promise<T>, within = 120_000): Promise<T> {
  const began = performance.now()
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() - began > within) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
