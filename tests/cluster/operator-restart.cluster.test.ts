import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kubeconfigAccess } from '../../operator/runtime/access.ts'
import { type Client, makeClient } from '../../operator/runtime/client.ts'
import { freePort } from '../support/free-port.ts'
import { type ControlPlane, cannotStart, controlPlane } from './control-plane.ts'
import { installDefinitions } from './definitions.ts'
import { startKubelet } from './kubelet.ts'
import { objectsIn, secretIn } from './objects.ts'
import { runOperator } from './operator.ts'
import { startProxy } from './proxy.ts'
import { eventually } from './support.ts'

if (cannotStart) console.log(`skipped: ${cannotStart}`)

/** Uses its own control plane, because others may use the shared one. */
describe.skipIf(cannotStart)('operator during API server outages', () => {
  const state = mkdtempSync(join(tmpdir(), 'legal-suite-control-plane-'))
  const namespace = 'default'
  let plane: ControlPlane
  let client: Client

  beforeAll(async () => {
    const env: Record<string, string> = { LS_API_ADDR: '127.0.0.1' }
    for (const name of ['API', 'ETCD', 'ETCD_PEER', 'KCM', 'SCHED'])
      env[`LS_${name}_PORT`] = `${await freePort()}`
    plane = controlPlane({ state, env })
    await plane.start()
    client = makeClient({ access: await kubeconfigAccess(plane.kubeconfig) })
    await installDefinitions(client)
  })
  afterAll(async () => {
    await plane.stop()
    rmSync(state, { recursive: true, force: true })
  })

  test('the operator recovers from restarts, resets and black holes', async () => {
    const proxy = await startProxy(await kubeconfigAccess(plane.kubeconfig))
    const kubelet = startKubelet(client, namespace)
    await secretIn(client, namespace, 'db', { url: 'postgres://nowhere' })
    const at = objectsIn(client, namespace)
    const operator = runOperator(proxy.access, namespace)
    await at.suite()
    await at.settled()

    await plane.restartApi()
    await at.patch('LegalSuite', 'demo', { spec: { version: '2.0.0' } })
    expect((await at.settled('demo', 120_000)).status?.version).toBe('2.0.0')

    proxy.cut()
    await at.patch('Deployment', 'demo-memory', { spec: { replicas: 4 } })
    await eventually(async () => {
      expect((await at.get('Deployment', 'demo-memory')).spec.replicas).toBe(1)
    }, 60_000)

    proxy.blackHole()
    await at.patch('LegalSuite', 'demo', { spec: { version: '3.0.0' } })
    proxy.recover()
    // A black-holed watch ends after a minute. The lease is lost before and acquired again.
    expect((await at.settled('demo', 170_000)).status?.version).toBe('3.0.0')

    await operator.stop()
    await kubelet.stop()
    proxy.close()
  }, 420_000)
})
