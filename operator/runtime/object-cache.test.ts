import { expect, test } from 'vitest'
import { silent } from '../../services/_kit/log.ts'
import { makeObjectCache } from './object-cache.ts'
import type { KubeObject } from './objects.ts'
import { isNewer } from './store.ts'
import { configMap } from './testing/informer-fixture.ts'

function buildVersioned(name: string, resourceVersion: string, uid = name): KubeObject {
  const object = configMap(name)
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion } }
}

test('an object written during a list is not removed by it', () => {
  const cache = makeObjectCache(silent)
  cache.take(buildVersioned('old', '5'))
  cache.take(buildVersioned('new', '12'))
  cache.removeMissing(new Set(), '10')
  expect(cache.store.list().map(({ metadata }) => metadata.name)).toEqual(['new'])
})

test('a late deletion does not remove the successor', () => {
  const cache = makeObjectCache(silent)
  cache.take(buildVersioned('a', '5', 'first'))
  cache.take(buildVersioned('a', '9', 'second'))
  cache.removeUnlessNewer(buildVersioned('a', '7', 'first'))
  expect(cache.store.get('ns/a')?.metadata.uid).toBe('second')
})

test('a successor is dispatched as deleted and added', () => {
  const cache = makeObjectCache(silent)
  const changes: string[] = []
  cache.subscribe(({ type, object }) => changes.push(`${type} ${object.metadata.uid}`))
  cache.take(buildVersioned('a', '5', 'first'))
  cache.take(buildVersioned('a', '9', 'second'))
  expect(changes).toEqual(['added first', 'deleted first', 'added second'])
})

test('all handlers get changes in the same order, even if a handler causes one', () => {
  const cache = makeObjectCache(silent)
  const changes: string[] = []
  cache.subscribe(({ object }) => {
    if (object.metadata.resourceVersion === '5') cache.take(buildVersioned('a', '6'))
  })
  cache.subscribe(({ object }) => changes.push(object.metadata.resourceVersion!))
  cache.take(buildVersioned('a', '5'))
  expect(changes).toEqual(['5', '6'])
})

test('resource versions of any length are compared numerically', () => {
  expect(isNewer('10', '9')).toBe(true)
  expect(isNewer('9', '10')).toBe(false)
  expect(isNewer('9', '9')).toBe(false)
  expect(isNewer('18446744073709551616', '18446744073709551615')).toBe(true)
})
