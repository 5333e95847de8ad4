import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../objects.ts'

/** Where an object is kept: `group/plural`, its namespace, its name. */
export type Place = { collection: string; namespace: string; name: string }
export type Written = {
  version: number
  collection: string
  before: KubeObject | undefined
  after: KubeObject | undefined
}

const textOf = ({ collection, namespace, name }: Place) => [collection, namespace, name].join(' ')

/** What the server keeps: objects, one count of versions for all of them, and what happened lately. */
export function makeFakeStore() {
  const objects = new Map<string, { place: Place; object: KubeObject }>()
  const followers = new Set<(written: Written) => void>()
  let history: Written[] = []
  let version = 100
  let oldest = 100
  let uids = 0

  function wrote(
    collection: string,
    before: KubeObject | undefined,
    after: KubeObject | undefined,
  ) {
    const written = { version, collection, before, after }
    history.push(written)
    for (const follower of [...followers]) follower(written)
  }

  function put(place: Place, next: KubeObject): KubeObject {
    const before = objects.get(textOf(place))?.object
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
        // Secrets and the like have none.
        ...(spec !== undefined && { generation }),
        resourceVersion: `${version}`,
      },
    }
    const leaving = stamped.metadata.deletionTimestamp && !stamped.metadata.finalizers?.length
    if (leaving) objects.delete(textOf(place))
    else objects.set(textOf(place), { place, object: stamped })
    wrote(place.collection, before, leaving ? undefined : stamped)
    return stamped
  }

  return {
    get version() {
      return version
    },
    get oldest() {
      return oldest
    },
    get: (place: Place) => objects.get(textOf(place))?.object,
    put,
    remove(place: Place) {
      const before = objects.get(textOf(place))?.object
      if (!before) return
      if (before.metadata.finalizers?.length) {
        if (before.metadata.deletionTimestamp) return
        put(place, {
          ...before,
          metadata: { ...before.metadata, deletionTimestamp: '2026-01-02T00:00:00Z' },
        })
        return
      }
      version++
      objects.delete(textOf(place))
      wrote(place.collection, before, undefined)
    },
    list: (collection: string, namespace?: string) =>
      [...objects.values()]
        .filter(
          ({ place }) =>
            place.collection === collection && (!namespace || place.namespace === namespace),
        )
        .sort((a, b) => (textOf(a.place) < textOf(b.place) ? -1 : 1))
        .map(({ object }) => object),
    since: (from: number) => history.filter((written) => written.version > from),
    follow(follower: (written: Written) => void) {
      followers.add(follower)
      return () => void followers.delete(follower)
    },
    /** Forgets what happened so far: whoever asks for it is told that it is gone. */
    compact() {
      history = []
      oldest = version
    },
    /** Versions also move with objects of others. */
    advance() {
      version++
    },
  }
}

export type FakeStore = ReturnType<typeof makeFakeStore>
