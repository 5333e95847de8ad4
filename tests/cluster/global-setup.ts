import { cannotStart, controlPlane } from './control-plane.ts'

/** Gives the tests a cluster: the one that was named, one that runs, or one that is stopped afterwards. */
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
