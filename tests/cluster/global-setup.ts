import { cannotStart, controlPlane } from './control-plane.ts'

/** Provides a cluster: the configured one, a running one, or one that is stopped after the tests. */
export default async function setup() {
  if (process.env.TEST_KUBECONFIG) return
  if (cannotStart) return console.log(`skipped: ${cannotStart}`)
  const plane = controlPlane()
  const started = await plane.start()
  process.env.TEST_KUBECONFIG = plane.kubeconfig
  return async () => {
    if (started) await plane.stop()
  }
}
