import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const script = resolve(import.meta.dirname, '../../../shared/cluster/control-plane.sh')
const cache =
  process.env.LEGAL_SUITE_CLUSTER_CACHE ?? resolve(homedir(), '.cache/legal-suite-cluster')

/** Why no control plane can be started here; nothing when one can. */
export const cannotStart = existsSync(script)
  ? undefined
  : 'there is no script to start a control plane; set TEST_KUBECONFIG to use a cluster of yours'

export type ControlPlane = {
  kubeconfig: string
  /** True when there was none before. */
  start(): Promise<boolean>
  stop(): Promise<void>
  /** The API server alone dies and comes back; what it kept stays. */
  restartApi(meanwhile?: () => Promise<void>): Promise<void>
}

/** The one that all tests share, or with a directory and ports of its own, one that may be broken. */
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
