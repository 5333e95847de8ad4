import { expect } from 'vitest'
import { type Log, silent } from '../../../services/_kit/log.ts'
import { makeMetrics } from '../../../services/_kit/metrics.ts'
import { makeClient } from '../client.ts'
import { type Informer, type InformerOptions, makeInformer } from '../informer.ts'
import type { Change } from '../object-cache.ts'
import { type KubeObject, objectKey } from '../objects.ts'
import { getResource } from '../resources.ts'
import { isNewer } from '../store.ts'
import { makeFakeApi } from './fake-api.ts'

export const configMaps = getResource('v1', 'ConfigMap')

export const configMap = (
  name: string,
  data: Record<string, string> = {},
  labels: Record<string, string> = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ns', labels },
  data,
})

/** A fake API server with an informer for ConfigMaps. */
export function makeInformerFixture(
  options: InformerOptions<KubeObject> & { log?: Log; limit?: number } = {},
) {
  const api = makeFakeApi()
  const metrics = makeMetrics()
  const client = makeClient({ transport: api.transport, metrics })
  const { log = silent, ...rest } = options
  const informer = makeInformer({
    client,
    log,
    metrics,
    resource: configMaps,
    namespace: 'ns',
    ...rest,
  })
  const stop = new AbortController()
  const configMapPath = (name: string) => ({ collection: '/configmaps', namespace: 'ns', name })
  return {
    api,
    client,
    informer,
    metrics,
    place: configMapPath,
    start: () => informer.run(stop.signal),
    stop: () => stop.abort(),
    put: (object: KubeObject) => api.store.put(configMapPath(object.metadata.name), object),
    remove: (name: string) => api.store.remove(configMapPath(name)),
  }
}

/** Records the changes of an informer and checks that their sequence is consistent. */
export function recordChanges(informer: Informer<KubeObject>) {
  const objects = new Map<string, KubeObject>()
  const types: string[] = []
  informer.subscribe((change: Change<KubeObject>) => {
    const key = objectKey(change.object)
    const before = objects.get(key)
    types.push(change.type)
    if (change.type === 'added') expect(before, `${key} was added twice`).toBeUndefined()
    else expect(before, `${key} was ${change.type} but never added`).toBeDefined()
    if (change.type === 'updated') {
      expect(change.before).toBe(before)
      expect(change.object.metadata.uid).toBe(before!.metadata.uid)
      expect(
        isNewer(change.object.metadata.resourceVersion!, before!.metadata.resourceVersion!),
      ).toBe(true)
    }
    if (change.type === 'deleted') objects.delete(key)
    else objects.set(key, change.object)
  })
  return { objects, types }
}
