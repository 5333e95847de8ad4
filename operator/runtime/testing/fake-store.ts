import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../objects.ts'

/** Path of an object: `group/plural`, namespace and name. */
export type ObjectPath = { collection: string; namespace: string; name: string }
export type WriteRecord = {
  version: number
  collection: string
  before: KubeObject | undefined
  after: KubeObject | undefined
}

const pathText = ({ collection, namespace, name }: ObjectPath) =>
  [collection, namespace, name].join(' ')

/** Objects, a global resource version and the recent history. */
export function makeFakeStore() {
  const objects = new Map<string, { path: ObjectPath; object: KubeObject }>()
  const subscribers = new Set<(written: WriteRecord) => void>()
  let history: WriteRecord[] = []
  let version = 100
  let oldest = 100
  let uids = 0

  function publish(
    collection: string,
    before: KubeObject | undefined,
    after: KubeObject | undefined,
  ) {
    const written = { version, collection, before, after }
    history.push(written)
    for (const follower of [...subscribers]) follower(written)
  }

  function put(path: ObjectPath, next: KubeObject): KubeObject {
    const before = objects.get(pathText(path))?.object
    if (before && isDeepStrictEqual(before, next)) return before
    version++
    const { spec, metadata } = next
    const generation =
      before && isDeepStrictEqual(before.spec, spec)
        ? before.metadata.generation!
        : (before?.metadata.generation ?? 0) + 1
    const stamped = {
      ...next,
      metadata: {
        ...metadata,
        uid: before?.metadata.uid ?? `uid-${++uids}`,
        creationTimestamp: before?.metadata.creationTimestamp ?? '2026-01-01T00:00:00Z',
        // Objects without a spec have no generation.
        ...(spec !== undefined && { generation }),
        resourceVersion: `${version}`,
      },
    }
    const isRemoved = stamped.metadata.deletionTimestamp && !stamped.metadata.finalizers?.length
    if (isRemoved) objects.delete(pathText(path))
    else objects.set(pathText(path), { path, object: stamped })
    publish(path.collection, before, isRemoved ? undefined : stamped)
    return stamped
  }

  return {
    get version() {
      return version
    },
    get oldest() {
      return oldest
    },
    get: (path: ObjectPath) => objects.get(pathText(path))?.object,
    put,
    remove(path: ObjectPath) {
      const before = objects.get(pathText(path))?.object
      if (!before) return
      if (before.metadata.finalizers?.length) {
        if (before.metadata.deletionTimestamp) return
        put(path, {
          ...before,
          metadata: { ...before.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' },
        })
        return
      }
      version++
      objects.delete(pathText(path))
      publish(path.collection, before, undefined)
    },
    list: (collection: string, namespace?: string) =>
      [...objects.values()]
        .filter(
          ({ path }) =>
            path.collection === collection && (!namespace || path.namespace === namespace),
        )
        .sort((a, b) => (pathText(a.path) < pathText(b.path) ? -1 : 1))
        .map(({ object }) => object),
    since: (from: number) => history.filter((written) => written.version > from),
    subscribe(follower: (written: WriteRecord) => void) {
      subscribers.add(follower)
      return () => void subscribers.delete(follower)
    },
    /** Drops the history, so that older watches get 410. */
    compact() {
      history = []
      oldest = version
    },
    /** Advances the version as a write to another resource would. */
    advance() {
      version++
    },
  }
}

export type FakeStore = ReturnType<typeof makeFakeStore>
