import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Client, makeClient } from '../../operator/runtime/client.ts'
import { makeRecorder } from '../../operator/runtime/events.ts'
import {
  type InformerOptions,
  type InformerTiming,
  makeInformer,
} from '../../operator/runtime/informer.ts'
import type { KubeObject } from '../../operator/runtime/objects.ts'
import { getResource } from '../../operator/runtime/resources.ts'
import { recordChanges } from '../../operator/runtime/testing/informer-fixture.ts'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { startProxy } from './proxy.ts'
import { clusterAccess, clusterClient, eventually, freshNamespace } from './support.ts'

const configMaps = getResource('v1', 'ConfigMap')
const quick: Partial<InformerTiming> = { watchSeconds: 4, idleMs: 6_000 }

const buildConfigMap = (
  namespace: string,
  name: string,
  data: Record<string, string> = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: { ours: 'yes' } },
  data,
})

describe('runtime on a real API server', () => {
  let client: Client
  let namespace: Awaited<ReturnType<typeof freshNamespace>>
  beforeAll(async () => {
    client = await clusterClient()
    namespace = await freshNamespace(client)
  })
  afterAll(() => namespace[Symbol.asyncDispose]())

  /** An informer behind a proxy, and a check of its cache. */
  async function startInformer(
    pace: Partial<InformerTiming> = quick,
    options: InformerOptions<KubeObject> = {},
  ) {
    const proxy = await startProxy(await clusterAccess())
    const metrics = makeMetrics()
    const informer = makeInformer<KubeObject>({
      client: makeClient({ access: proxy.access, metrics }),
      log: silent,
      metrics,
      resource: configMaps,
      namespace: namespace.name,
      labelSelector: 'ours=yes',
      timing: pace,
      ...options,
    })
    const stop = new AbortController()
    const run = informer.run(stop.signal)
    onTestFinished(async () => {
      stop.abort()
      proxy.close()
      await run
    })
    const same = async () => {
      const versions = (objects: KubeObject[]) =>
        objects.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort()
      const served = await client.list(configMaps, {
        namespace: namespace.name,
        labelSelector: 'ours=yes',
      })
      expect(versions(informer.list())).toEqual(versions(served))
    }
    await eventually(() => expect(informer.synced).toBe(true))
    return { proxy, informer, metrics, same, seen: recordChanges(informer) }
  }

  const write = (name: string, data: Record<string, string> = {}) =>
    client.apply(configMaps, buildConfigMap(namespace.name, name, data), {
      fieldManager: 'test',
      force: true,
    })
  const remove = (name: string) => client.delete(configMaps, { namespace: namespace.name, name })

  test('the cache follows the server and watches are renewed without a list', async () => {
    // The server ends each watch. A bookmark that is late on a busy machine does not matter.
    const { same, metrics, seen } = await startInformer({ watchSeconds: 4, idleMs: 600_000 })
    for (let n = 0; n < 20; n++) await write(`follow-${n}`)
    await write('follow-3', { changed: 'yes' })
    await remove('follow-4')
    await eventually(same)
    await new Promise((resolve) => setTimeout(resolve, 12_000))
    await write('follow-5', { changed: 'yes' })
    await eventually(same)
    expect(metrics.text()).toMatch(/informer_relists_total\{[^}]*\} 1\n/)
    expect(metrics.text()).not.toContain('informer_watch_failures_total')
    expect(seen.objects.size).toBe(19)
  })

  test('repeated resets lose no events', async () => {
    const { proxy, same } = await startInformer()
    for (let n = 0; n < 30; n++) {
      await write(`cut-${n % 10}`, { n: `${n}` })
      if (n % 7 === 3) await remove(`cut-${n % 10}`)
      if (n % 3 === 0) proxy.cut()
    }
    await eventually(same)
  })

  test('a black-holed connection is detected and replaced', async () => {
    const { proxy, same, informer, metrics } = await startInformer()
    proxy.blackHole()
    await write('hole', { n: '1' })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(informer.get(`${namespace.name}/hole`)).toBeUndefined()
    proxy.recover()
    await eventually(same)
    expect(metrics.text()).toContain('reason="DeadlineError"')
  })

  test('a slow connection is not replaced', async () => {
    const { proxy, same, metrics } = await startInformer({ watchSeconds: 10, idleMs: 60_000 })
    proxy.slow(400)
    for (let n = 0; n < 20; n++) await write(`slow-${n}`, { text: 'x'.repeat(20_000) })
    await eventually(same)
    expect(metrics.text()).not.toContain('informer_watch_failures_total')
  })

  test('all pages of a list have the same resource version', async () => {
    const pages: number[] = []
    for (let n = 0; n < 25; n++) await write(`page-${n}`)
    const versions = new Set<string>()
    for await (const page of client.pages(configMaps, {
      namespace: namespace.name,
      deadline: 10,
    })) {
      pages.push(page.items.length)
      versions.add(page.resourceVersion)
    }
    expect(pages.length).toBeGreaterThan(2)
    expect(versions.size).toBe(1)
  })

  test('a repeated Event is one Event with a count', async () => {
    const regarding = await write('noted')
    const recorder = makeRecorder({ client, log: silent, instance: 'test' })
    const note = { type: 'Warning', reason: 'Tried', action: 'Try', note: 'again' } as const
    for (let n = 0; n < 3; n++) recorder.record(regarding, note)
    await recorder.flush()
    const events = await client.list(getResource('events.k8s.io/v1', 'Event'), {
      namespace: namespace.name,
    })
    expect(events.filter(({ reason }) => reason === 'Tried')).toMatchObject([
      { note: 'again', regarding: { kind: 'ConfigMap', name: 'noted' }, series: { count: 3 } },
    ])
  })

  test('serves returns which APIs exist', async () => {
    expect(await client.serves(configMaps)).toBe(true)
    expect(await client.serves(getResource('apps/v1', 'Deployment'))).toBe(true)
    const invented = {
      group: 'no.such.dev',
      version: 'v1',
      kind: 'X',
      plural: 'xs',
      namespaced: true,
    }
    expect(await client.serves(invented)).toBe(false)
  })
})
