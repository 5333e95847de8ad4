import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kubeconfigAccess } from '../../operator/runtime/access.ts'
import { type Client, makeClient } from '../../operator/runtime/client.ts'
import { makeInformer } from '../../operator/runtime/informer.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { recordChanges } from '../../operator/runtime/testing/informer-fixture.ts'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { type ControlPlane, cannotStart, startControlPlane } from './control-plane.ts'
import { installDefinitions } from './definitions.ts'
import { startKubelet } from './kubelet.ts'
import { objectsIn, secretIn } from './objects.ts'
import { runOperator } from './operator.ts'
import { startProxy } from './proxy.ts'
import { eventually } from './support.ts'

const configMaps = getResource('v1', 'ConfigMap')

/** Uses its own control plane, because other test files use the shared one. */
describe.skipIf(cannotStart)('API server outages', () => {
  let plane: ControlPlane
  let client: Client

  beforeAll(async () => {
    plane = await startControlPlane()
    client = makeClient({ access: await kubeconfigAccess(plane.kubeconfig) })
    await installDefinitions(client)
  })
  afterAll(() => plane?.stop())

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
    await eventually(() => expect(names()).toEqual(['after', 'before', 'gone']))

    // The informer is cut off during writes, and the restarted server has no history of them.
    proxy.blackHole()
    await client.delete(configMaps, { namespace: 'default', name: 'gone' })
    for (let n = 0; n < 5; n++) await client.create(configMaps, buildConfigMap(`unheard-${n}`))
    await plane.restartApi(async () => proxy.cut())
    proxy.recover()
    proxy.cut()
    const all = ['after', 'before', ...Array.from({ length: 5 }, (_, n) => `unheard-${n}`)]
    await eventually(() => expect(names()).toEqual(all))
    expect([...seen.objects.keys()].sort()).toEqual(all.map((name) => `default/${name}`))
    expect(metrics.text()).toContain('reason="gone"')
    expect(seen.types.filter((type) => type === 'deleted')).toHaveLength(1)
    stop.abort()
    proxy.close()
    await run
  })

  test('the operator recovers from restarts, resets and black holes', async () => {
    const proxy = await startProxy(await kubeconfigAccess(plane.kubeconfig))
    const kubelet = startKubelet(client, 'default')
    await secretIn(client, 'default', 'db', { url: 'postgres://nowhere' })
    const at = objectsIn(client, 'default')
    const operator = runOperator(proxy.access, 'default')
    await at.suite()
    await at.settled()

    await plane.restartApi()
    await at.patch('LegalSuite', 'demo', { spec: { version: '2.0.0' } })
    expect((await at.settled()).status?.version).toBe('2.0.0')

    proxy.cut()
    await at.patch('Deployment', 'demo-memory', { spec: { replicas: 4 } })
    await eventually(async () => {
      expect((await at.get('Deployment', 'demo-memory')).spec.replicas).toBe(1)
    })

    proxy.blackHole()
    await at.patch('LegalSuite', 'demo', { spec: { version: '3.0.0' } })
    proxy.recover()
    // A black-holed watch ends after a minute. The lease is lost before and acquired again.
    expect((await at.settled()).status?.version).toBe('3.0.0')

    await operator.stop()
    await kubelet.stop()
    proxy.close()
  })
})
