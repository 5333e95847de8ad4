import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const script = resolve(import.meta.dirname, '../../../shared/cluster/control-plane.sh')
const cache =
  process.env.LEGAL_SUITE_CLUSTER_CACHE ?? resolve(homedir(), '.cache/legal-suite-cluster')

/** Returns why no control plane can be started, or undefined. */
export const cannotStart = existsSync(script)
  ? undefined
  : 'there is no script to start a control plane; set TEST_KUBECONFIG to use a cluster of yours'

export type ControlPlane = {
  kubeconfig: string
  /** Whether this call started it. */
  start(): Promise<boolean>
  stop(): Promise<void>
  /** Kills and restarts the API server. Its data stays. */
  restartApi(meanwhile?: () => Promise<void>): Promise<void>
}

/** The shared control plane, or one with its own directory and ports that tests may break. */
export function controlPlane(own?: { state: string; env: Record<string, string> }): ControlPlane {
  const state = own?.state ?? resolve(cache, 'state')
  const env = { ...process.env, LEGAL_SUITE_CLUSTER_STATE: state, ...own?.env }
  const call = (what: string) => run(script, [what], { env, timeout: 1_800_000 })
  return {
    kubeconfig: resolve(state, 'kubeconfig'),
    async start() {
      const running = await call('status').then(
        () => true,
        () => false,
      )
      if (!running) await call('up')
      return !running
    },
    stop: async () => void (await call('down')),
    async restartApi(meanwhile = async () => {}) {
      const [pid] = readFileSync(resolve(state, 'pid/kube-apiserver'), 'utf8').split(' ')
      process.kill(Number(pid), 'SIGKILL')
      await meanwhile()
      await call('up')
    },
  }
}
