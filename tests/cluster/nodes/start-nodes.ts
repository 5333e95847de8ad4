import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { clusterCache, nodeScript, script } from '../local-scripts.ts'
import type { Provider } from '../provider.ts'
import { startKind, type TestCluster } from '../start-cluster.ts'
import { buildArchives, buildWithEngine } from './images.ts'

const run = promisify(execFile)

/** Starts a cluster with real nodes that have the images of the suite. */
export async function startNodes(provider: Provider, nodeCount: number): Promise<TestCluster> {
  if (provider === 'kind') return startKindNodes(nodeCount)
  if (provider === 'local') return startLocalNodes(nodeCount)
  return { kubeconfig: process.env.TEST_KUBECONFIG!, stop: async () => {} }
}

async function startKindNodes(nodeCount: number) {
  const tags = buildWithEngine()
  const cluster = await startKind(nodeCount)
  await run('kind', ['load', 'docker-image', ...tags, '--name', cluster.name])
  return cluster
}

/** The scripts use fixed addresses, so one such cluster runs on a machine. */
async function startLocalNodes(nodeCount: number) {
  const state = mkdtempSync(join(tmpdir(), 'legal-suite-nodes-'))
  const kubeconfig = join(state, 'kubeconfig')
  const env = {
    ...process.env,
    LEGAL_SUITE_CLUSTER_STATE: state,
    LEGAL_SUITE_KUBECONFIG: kubeconfig,
  }
  const call = (file: string, ...args: string[]) =>
    run(file, args, { env, timeout: 1_800_000, maxBuffer: 64 * 2 ** 20 })
  const archives = await buildArchives(state)
  const stop = async () => {
    await call(script, 'down')
    // The scripts keep loaded archives for the next start.
    for (const archive of archives)
      rmSync(join(clusterCache, 'images', basename(archive)), { force: true })
    rmSync(state, { recursive: true, force: true })
  }
  try {
    await call(nodeScript, 'up', String(nodeCount))
    await call(nodeScript, 'load', ...archives)
  } catch (error) {
    await stop()
    throw error
  }
  return { kubeconfig, stop }
}
