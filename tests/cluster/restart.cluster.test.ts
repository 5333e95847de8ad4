import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kubeconfigAccess } from '../../operator/runtime/access.ts'
import { type Client, makeClient } from '../../operator/runtime/client.ts'
import { makeInformer } from '../../operator/runtime/informer.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { recordChanges } from '../../operator/runtime/testing/informer-fixture.ts'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { freePort } from '../support/free-port.ts'
import { type ControlPlane, cannotStart, controlPlane } from './control-plane.ts'
import { startProxy } from './proxy.ts'
import { eventually } from './support.ts'

if (cannotStart) console.log(`skipped: ${cannotStart}`)

const configMaps = getResource('v1', 'ConfigMap')

/** Uses its own control plane, because others may use the shared one. */
describe.skipIf(cannotStart)('informers during API server restarts', () => {
  const state = mkdtempSync(join(tmpdir(), 'legal-suite-control-plane-'))
  let plane: ControlPlane
  let client: Client

  beforeAll(async () => {
    const ports = [
      'LS_API_PORT',
      'LS_ETCD_PORT',
      'LS_ETCD_PEER_PORT',
      'LS_KCM_PORT',
      'LS_SCHED_PORT',
    ]
    const env: Record<string, string> = { LS_API_ADDR: '127.0.0.1' }
    for (const name of ports) env[name] = `${await freePort()}`
    plane = controlPlane({ state, env })
    await plane.start()
    client = makeClient({ access: await kubeconfigAccess(plane.kubeconfig) })
  })
  afterAll(async () => {
    await plane.stop()
    rmSync(state, { recursive: true, force: true })
  })

  const buildConfigMap = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels: { ours: 'yes' } },
  })

  test('the cache catches up, even if the history is lost', async () => {
    const proxy = await startProxy(await kubeconfigAccess(plane.kubeconfig))
    const metrics = makeMetrics()
    const informer = makeInformer<KubeObject>({
      client: makeClient({ access: proxy.access, metrics }),
      log: silent,
      metrics,
      resource: configMaps,
      namespace: 'default',
      labelSelector: 'ours=yes',
      timing: { watchSeconds: 60, idleMs: 70_000 },
    })
    const seen = recordChanges(informer)
    const stop = new AbortController()
    const run = informer.run(stop.signal)
    const names = () =>
      informer
        .list()
        .map(({ metadata }) => metadata.name)
        .sort()
    await client.create(configMaps, buildConfigMap('before'))
    await client.create(configMaps, buildConfigMap('gone'))
    await eventually(() => expect(names()).toEqual(['before', 'gone']))

    await plane.restartApi()
    await client.create(configMaps, buildConfigMap('after'))
    await eventually(() => expect(names()).toEqual(['after', 'before', 'gone']), 60_000)

    // The informer is cut off during writes, and the restarted server has no history of them.
    proxy.blackHole()
    await client.delete(configMaps, { namespace: 'default', name: 'gone' })
    for (let n = 0; n < 5; n++) await client.create(configMaps, buildConfigMap(`unheard-${n}`))
    await plane.restartApi(async () => proxy.cut())
    proxy.recover()
    proxy.cut()
    const all = ['after', 'before', ...Array.from({ length: 5 }, (_, n) => `unheard-${n}`)]
    await eventually(() => expect(names()).toEqual(all), 60_000)
    expect([...seen.objects.keys()].sort()).toEqual(all.map((name) => `default/${name}`))
    expect(metrics.text()).toContain('reason="gone"')
    expect(seen.types.filter((type) => type === 'deleted')).toHaveLength(1)
    stop.abort()
    proxy.close()
    await run
  })
})
