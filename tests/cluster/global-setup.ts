import { kubeconfigAccess } from '../../operator/runtime/access.ts'
import { makeClient } from '../../operator/runtime/client.ts'
import { installDefinitions } from './definitions.ts'
import type { Provider } from './provider.ts'
import { startApiServer } from './start-cluster.ts'

/** Provides a cluster with the CustomResourceDefinitions. `run.ts` has found the provider. */
export default async function setup() {
  const provider = process.env.TEST_PROVIDER as Provider | undefined
  if (!provider) throw new Error('start these tests with npm run test:cluster')
  const cluster = await startApiServer(provider)
  process.env.TEST_KUBECONFIG = cluster.kubeconfig
  await installDefinitions(makeClient({ access: await kubeconfigAccess(cluster.kubeconfig) }))
  return () => cluster.stop()
}
