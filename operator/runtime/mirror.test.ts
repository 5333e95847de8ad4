import { expect, test } from 'vitest'
import { silent } from '../../services/_kit/log.ts'
import { makeMirror } from './mirror.ts'
import type { KubeObject } from './objects.ts'
import { isNewer } from './store.ts'
import { configMap } from './testing/informed.ts'

function versioned(name: string, resourceVersion: string, uid = name): KubeObject {
  const object = configMap(name)
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion } }
}

test('what was written while a list was read is not taken for deleted because it is not in it', () => {
  const mirror = makeMirror(silent)
  mirror.take(versioned('old', '5'))
  mirror.take(versioned('new', '12'))
  mirror.dropUnseen(new Set(), '10')
  expect(mirror.store.list().map(({ metadata }) => metadata.name)).toEqual(['new'])
})

test('the end of an object does not end a successor that is known already', () => {
  const mirror = makeMirror(silent)
  mirror.take(versioned('a', '5', 'first'))
  mirror.take(versioned('a', '9', 'second'))
  mirror.drop(versioned('a', '7', 'first'))
  expect(mirror.store.get('ns/a')?.metadata.uid).toBe('second')
})

test('a successor of the same name is told as one gone and one added', () => {
  const mirror = makeMirror(silent)
  const told: string[] = []
  mirror.subscribe(({ type, object }) => told.push(`${type} ${object.metadata.uid}`))
  mirror.take(versioned('a', '5', 'first'))
  mirror.take(versioned('a', '9', 'second'))
  expect(told).toEqual(['added first', 'deleted first', 'added second'])
})

test('all handlers hear changes in the same order, though one of them causes the next', () => {
  const mirror = makeMirror(silent)
  const told: string[] = []
  mirror.subscribe(({ object }) => {
    if (object.metadata.resourceVersion === '5') mirror.take(versioned('a', '6'))
  })
  mirror.subscribe(({ object }) => told.push(object.metadata.resourceVersion!))
  mirror.take(versioned('a', '5'))
  expect(told).toEqual(['5', '6'])
})

test('versions are compared as numbers of any length', () => {
  expect(isNewer('10', '9')).toBe(true)
  expect(isNewer('9', '10')).toBe(false)
  expect(isNewer('9', '9')).toBe(false)
  expect(isNewer('18446744073709551616', '18446744073709551615')).toBe(true)
})
