import { randomBytes } from 'node:crypto'
import { type Access, kubeconfigAccess } from '../../operator/runtime/access.ts'
import { type Client, makeClient } from '../../operator/runtime/client.ts'
import { cannotStart } from './control-plane.ts'

/** Why there is no cluster; nothing when there is one. For `describe.skipIf`. */
export const noCluster = process.env.TEST_KUBECONFIG ? undefined : cannotStart

export const clusterAccess = (): Promise<Access> =>
  kubeconfigAccess(process.env.TEST_KUBECONFIG ?? '')

const namespaces = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
}

/** A namespace that is gone afterwards. `labels` may ask for a Pod Security Standard. */
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

/** Asks until the condition holds; the last failure tells what was missing. */
export async function eventually<T>(check: () => T | Promise<T>, within = 30_000): Promise<T> {
  const began = performance.now()
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() - began > within) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
