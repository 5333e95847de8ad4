import { kubeconfigAccess } from '../../operator/runtime/access.ts'
import { makeClient } from '../../operator/runtime/client.ts'
import { cannotStart, startControlPlane } from './control-plane.ts'
import { installDefinitions } from './definitions.ts'

/** Provides a cluster with the CustomResourceDefinitions: the configured one, or one for this run. */
export default async function setup() {
  if (!process.env.TEST_KUBECONFIG && cannotStart) throw new Error(`no cluster: ${cannotStart}`)
  const plane = process.env.TEST_KUBECONFIG ? undefined : await startControlPlane()
  if (plane) process.env.TEST_KUBECONFIG = plane.kubeconfig
  const access = await kubeconfigAccess(process.env.TEST_KUBECONFIG!)
  await installDefinitions(makeClient({ access }))
  return () => plane?.stop()
}
