import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startControlPlane } from './control-plane.ts'
import { startEnvtest } from './envtest.ts'
import { binaries } from './local-scripts.ts'
import type { Provider } from './provider.ts'

const run = promisify(execFile)

export interface TestCluster {
  kubeconfig: string
  stop(): Promise<void>
}

/** Starts a cluster for the control-plane tests, or uses the existing one. */
export function startApiServer(provider: Provider): Promise<TestCluster> | TestCluster {
  switch (provider) {
    case 'existing':
      return { kubeconfig: process.env.TEST_KUBECONFIG!, stop: async () => {} }
    case 'kind':
      return startCordonedKind()
    case 'envtest':
      return startEnvtest(process.env.KUBEBUILDER_ASSETS!)
    case 'local':
      return startControlPlane()
  }
}

/** Creates a kind cluster. `TEST_KIND_IMAGE` names the image of its nodes. */
export async function startKind(nodeCount: number): Promise<TestCluster & { name: string }> {
  const name = `legal-suite-${process.pid}`
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-kind-'))
  const kubeconfig = join(directory, 'kubeconfig')
  const image = process.env.TEST_KIND_IMAGE
  const roles = Array.from({ length: nodeCount }, (_, n) => (n ? 'worker' : 'control-plane'))
  const config = {
    kind: 'Cluster',
    apiVersion: 'kind.x-k8s.io/v1alpha4',
    nodes: roles.map((role) => ({ role, ...(image && { image }) })),
  }
  const stop = async () => {
    await run('kind', ['delete', 'cluster', '--name', name, '--kubeconfig', kubeconfig])
    rmSync(directory, { recursive: true, force: true })
  }
  const creating = run('kind', [
    ...['create', 'cluster', '--name', name, '--kubeconfig', kubeconfig],
    ...['--wait', '180s', '--config', '-'],
  ])
  creating.child.stdin!.end(JSON.stringify(config))
  await creating.catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { name, kubeconfig, stop }
}

/** The tests set the status of pods themselves, so no node may run them. */
async function startCordonedKind(): Promise<TestCluster> {
  const cluster = await startKind(1)
  const kubectl = existsSync(join(binaries, 'kubectl')) ? join(binaries, 'kubectl') : 'kubectl'
  await run(kubectl, [
    '--kubeconfig',
    cluster.kubeconfig,
    'cordon',
    `${cluster.name}-control-plane`,
  ])
  return cluster
}
