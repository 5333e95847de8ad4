import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../support/free-port.ts'
import { script } from './local-scripts.ts'

const run = promisify(execFile)

/** The reason why the scripts start no control plane, or undefined. */
export const cannotStart = existsSync(script)
  ? undefined
  : 'there is no script to start a control plane; set TEST_KUBECONFIG to use a cluster of yours'

export type ControlPlane = {
  kubeconfig: string
  stop(): Promise<void>
  /** Kills and restarts the API server. Its data stays. */
  restartApi(meanwhile?: () => Promise<void>): Promise<void>
}

/** Starts a control plane with its own directory and ports, so that test runs do not affect each other. */
export async function startControlPlane(): Promise<ControlPlane> {
  const state = mkdtempSync(join(tmpdir(), 'legal-suite-control-plane-'))
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    LEGAL_SUITE_CLUSTER_STATE: state,
    LEGAL_SUITE_KUBECONFIG: join(state, 'kubeconfig'),
    LS_API_ADDR: '127.0.0.1',
  }
  for (const name of ['API', 'ETCD', 'ETCD_PEER', 'KCM', 'SCHED'])
    env[`LS_${name}_PORT`] = `${await freePort()}`
  const call = (what: string) => run(script, [what], { env, timeout: 1_800_000 })
  const stop = async () => {
    await call('down')
    rmSync(state, { recursive: true, force: true })
  }
  await call('up').catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return {
    kubeconfig: join(state, 'kubeconfig'),
    stop,
    async restartApi(meanwhile = async () => {}) {
      const [pid] = readFileSync(resolve(state, 'pid/kube-apiserver'), 'utf8').split(' ')
      process.kill(Number(pid), 'SIGKILL')
      await meanwhile()
      await call('up')
    },
  }
}
