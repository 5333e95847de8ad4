import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { bundleOperator } from '../../operator/build.ts'
import type { Client } from '../../operator/runtime/client.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { buildRun, okResponse, startFakeCollector } from '../../operator/testing/fake-collector.ts'
import { freePort } from '../support/free-port.ts'
import { startKubelet } from './kubelet.ts'
import { objectsIn, secretIn } from './objects.ts'
import { setUp } from './operator.ts'
import { buildKubeconfig, operatorAccess } from './rights.ts'
import { clusterClient, eventually, freshNamespace } from './support.ts'

describe('operator under load and with a standby', () => {
  let client: Client
  beforeAll(async () => {
    client = await clusterClient()
  })

  test('twelve suites with running pods are created and changed without interference', async () => {
    const at = await setUp(client)
    const names = Array.from({ length: 12 }, (_, index) => `suite-${index}`)
    await Promise.all(names.map((name) => at.suite({}, name)))
    for (const name of names) await at.settled(name)
    const keys = (await at.list('LegalSuite')).map(({ status }) => status.internalKey.id)
    expect(new Set(keys).size).toBe(12)
    const pods = await at.list('Pod')
    expect(pods.filter(({ status }) => status.phase === 'Running')).toHaveLength(96)

    await Promise.all(
      names.map((name) => at.patch('LegalSuite', name, { spec: { version: '2.0.0' } })),
    )
    for (const name of names) await at.settled(name)
    const deployments = await at.list('Deployment')
    expect(deployments).toHaveLength(96)
    for (const { spec } of deployments)
      expect(spec.template.spec.containers[0].image).toBe('legal-suite:2.0.0')
    for (const { status } of await at.list('LegalSuite'))
      expect(status).toMatchObject({ ready: '8/8', version: '2.0.0' })
  })

  test('seeds are applied once although the operator is killed', async () => {
    const collector = await startFakeCollector()
    collector.setHandler((request) => okResponse(buildRun(request)))
    onTestFinished(() => void collector.stop())
    const pair = await startPair(client, collector.address)
    const { at } = pair
    await at.suite()
    await at.settled()
    // The response is lost with the killed operator.
    collector.faults.push(() => {
      if (pair.first.exitCode === null && pair.first.signalCode === null) {
        pair.first.kill('SIGKILL')
        return 'hang up'
      }
      return undefined
    })
    const spec = { suiteRef: { name: 'demo' }, packageIds: ['one'] }
    const kind = { apiVersion: 'legalsuite.dev/v1alpha1', kind: 'SeedPackageApply' }
    await at.create({ ...kind, metadata: { name: 'seeds' }, spec })
    await eventually(async () => {
      const { status } = await at.get('SeedPackageApply', 'seeds')
      expect(status?.phase).toBe('Succeeded')
      expect(collector.applied).toEqual([status.runId])
    })
    expect(new Set(collector.requests.map(({ request }) => request.run_id)).size).toBe(1)
  })

  test('the standby takes over from a killed and from a stopped leader', async () => {
    const pair = await startPair(client, 'http://127.0.0.1:1')
    const { at } = pair
    await at.suite()
    await at.settled()
    pair.first.kill('SIGKILL')
    await at.patch('LegalSuite', 'demo', { spec: { version: '2.0.0' } })
    expect((await at.settled()).status?.version).toBe('2.0.0')
    const third = await pair.start()
    await third.ready
    pair.second.kill('SIGTERM')
    await at.patch('LegalSuite', 'demo', { spec: { version: '3.0.0' } })
    expect((await at.settled()).status?.version).toBe('3.0.0')
    await eventually(() => expect(pair.second.exitCode).toBe(0))
    const [job] = await at.list('Job')
    expect(job.spec.template.spec.containers[0].image).toBe('legal-suite:3.0.0')
  })
})

const unreachableKubeconfig = JSON.stringify({
  'current-context': 'other',
  contexts: [{ name: 'other', context: { cluster: 'other', user: 'other' } }],
  clusters: [{ name: 'other', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'other', user: { token: 'invalid' } }],
})

/** Starts two operator processes with a context of merged kubeconfig files. The first one leads. */
async function startPair(client: Client, collectorAddress: string) {
  const namespace = await freshNamespace(client)
  const kubelet = startKubelet(client, namespace.name)
  const directory = mkdtempSync(join(tmpdir(), 'legal-suite-operator-'))
  const bundle = join(directory, 'operator.mjs')
  await bundleOperator(bundle)
  const access = await operatorAccess(client, namespace.name)
  const kubeconfig = join(directory, 'kubeconfig')
  await writeFile(kubeconfig, await buildKubeconfig(access, namespace.name))
  const otherKubeconfig = join(directory, 'other-kubeconfig')
  await writeFile(otherKubeconfig, unreachableKubeconfig)
  await secretIn(client, namespace.name, 'db', { url: 'postgres://nowhere' })
  const children: ReturnType<typeof spawn>[] = []
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL')
    await kubelet.stop()
    rmSync(directory, { recursive: true, force: true })
    await namespace[Symbol.asyncDispose]()
  })

  async function start() {
    const port = await freePort()
    const env = {
      PATH: process.env.PATH,
      // The first file sets the current context.
      KUBECONFIG: `${otherKubeconfig}:${kubeconfig}`,
      KUBE_CONTEXT: 'test',
      PORT: String(port),
      COLLECTOR_ADDRESS: collectorAddress,
    }
    const child = spawn(process.execPath, [bundle], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    children.push(child)
    const ready = eventually(async () =>
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200),
    )
    return { child, ready }
  }

  const { child: first } = await start()
  const leases = getResource('coordination.k8s.io/v1', 'Lease')
  await eventually(async () => {
    const lease = await client.get(leases, {
      namespace: namespace.name,
      name: 'legal-suite-operator',
    })
    expect(lease).toBeDefined()
  })
  const { child: second, ready } = await start()
  await ready
  return { first, second, start, at: objectsIn(client, namespace.name) }
}
