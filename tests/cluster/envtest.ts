import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kubeconfigAccess } from '../../operator/runtime/access.ts'
import { httpTransport } from '../../operator/runtime/transport.ts'
import { freePort } from '../support/free-port.ts'
import { eventually } from './support.ts'

/** Whether the folder has the controller manager, which envtest itself does not provide. */
export const hasControllers = (folder: string) =>
  existsSync(join(folder, 'kube-controller-manager'))

/**
 * Starts etcd and kube-apiserver from a folder with the binaries of envtest, and the controller manager if the
 * folder contains it.
 */
export async function startEnvtest(folder: string) {
  const state = mkdtempSync(join(tmpdir(), 'legal-suite-envtest-'))
  const file = (name: string) => join(state, name)
  const kubeconfig = file('kubeconfig')
  const processes: ChildProcess[] = []
  const start = (name: string, args: string[]) => {
    const log = openSync(file(`${name}.log`), 'a')
    processes.push(spawn(join(folder, name), args, { stdio: ['ignore', log, log] }))
  }
  const stop = async () => {
    // Components that depend on others end first.
    for (const process of processes.reverse()) await end(process)
    rmSync(state, { recursive: true, force: true })
  }
  const [api, etcd, peer, manager] = await Promise.all([1, 2, 3, 4].map(() => freePort()))
  const token = randomBytes(16).toString('hex')
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(file('sa.key'), privateKey.export({ type: 'sec1', format: 'pem' }))
  writeFileSync(file('sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  writeFileSync(file('tokens.csv'), `${token},admin,admin,system:masters\n`)
  try {
    start('etcd', [
      ...['--data-dir', file('etcd'), '--unsafe-no-fsync', '--log-level', 'warn'],
      ...['--listen-client-urls', `http://127.0.0.1:${etcd}`],
      ...['--advertise-client-urls', `http://127.0.0.1:${etcd}`],
      ...['--listen-peer-urls', `http://127.0.0.1:${peer}`],
    ])
    start('kube-apiserver', [
      ...['--etcd-servers', `http://127.0.0.1:${etcd}`, '--cert-dir', file('certificates')],
      ...['--bind-address', '127.0.0.1', '--secure-port', `${api}`],
      ...['--endpoint-reconciler-type', 'none', '--service-cluster-ip-range', '10.96.0.0/16'],
      ...['--authorization-mode', 'RBAC', '--token-auth-file', file('tokens.csv')],
      ...['--service-account-issuer', 'https://kubernetes.default.svc'],
      ...['--service-account-key-file', file('sa.pub')],
      ...['--service-account-signing-key-file', file('sa.key')],
    ])
    await eventually(() => {
      const ca = readFileSync(file('certificates/apiserver.crt'))
      writeFileSync(kubeconfig, buildKubeconfig(`https://127.0.0.1:${api}`, ca, token))
    })
    await eventually(() => expectReady(kubeconfig))
    if (hasControllers(folder))
      start('kube-controller-manager', [
        ...['--kubeconfig', kubeconfig, '--leader-elect=false', '--secure-port', `${manager}`],
        ...['--bind-address', '127.0.0.1', '--use-service-account-credentials=true'],
        ...['--service-account-private-key-file', file('sa.key')],
        ...['--root-ca-file', file('certificates/apiserver.crt')],
      ])
  } catch (error) {
    await stop()
    throw error
  }
  return { kubeconfig, stop }
}

const buildKubeconfig = (server: string, ca: Buffer, token: string) =>
  JSON.stringify({
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    clusters: [
      {
        name: 'test',
        cluster: { server, 'certificate-authority-data': ca.toString('base64') },
      },
    ],
    users: [{ name: 'test', user: { token } }],
  })

async function expectReady(kubeconfig: string) {
  const send = httpTransport(await kubeconfigAccess(kubeconfig))
  const signal = AbortSignal.timeout(5_000)
  const { status } = await send({ method: 'GET', path: '/readyz', headers: {}, signal })
  if (status !== 200) throw new Error(`the API server is not ready: status ${status}`)
}

const end = (process: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (process.exitCode !== null || process.signalCode !== null) return resolve()
    process.once('exit', () => resolve())
    process.kill()
  })
