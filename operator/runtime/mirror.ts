import type { Log } from '../../services/_kit/log.ts'
import { errorFields } from '../../services/_kit/log.ts'
import { type KubeObject, keyOf } from './objects.ts'
import { type Indexes, isNewer, makeStore } from './store.ts'

/** `resync` says nothing new: a relist found the object as it was. */
export type Change<T> =
  | { type: 'added'; object: T }
  | { type: 'updated'; object: T; before: T }
  | { type: 'deleted'; object: T }
  | { type: 'resync'; object: T }

export type Handler<T> = (change: Change<T>) => void

/**
 * The copy itself, and who is told of its changes. What comes in is taken or not by its resource version:
 * an answer to a write of ours may come before the watch tells of it, or after.
 */
export function makeMirror<T extends KubeObject>(log: Log, indexes?: Indexes<T>) {
  const store = makeStore<T>(indexes)
  const handlers = new Set<Handler<T>>()
  const untold: Change<T>[] = []
  let telling = false

  /** One after the other, though a handler may cause the next change. */
  function tell(change: Change<T>) {
    untold.push(change)
    if (telling) return
    telling = true
    for (let next = untold.shift(); next; next = untold.shift()) {
      for (const handler of [...handlers]) told(handler, next)
    }
    telling = false
  }

  function told(handler: Handler<T>, change: Change<T>) {
    try {
      handler(change)
    } catch (error) {
      log.error({ ...errorFields(error), object: keyOf(change.object) }, 'a handler failed')
    }
  }

  function remove(key: string, object: T) {
    store.delete(key)
    tell({ type: 'deleted', object })
  }

  /** False when nothing newer came of it. */
  function take(object: T): boolean {
    const key = keyOf(object)
    const before = store.get(key)
    if (before && !isNewer(versionOf(object), versionOf(before))) return false
    const replaced = before && before.metadata.uid !== object.metadata.uid
    if (replaced) remove(key, before)
    store.set(object)
    tell(before && !replaced ? { type: 'updated', object, before } : { type: 'added', object })
    return true
  }

  return {
    store,
    take,
    resync: (object: T) => tell({ type: 'resync', object }),
    /** Unless a newer one of the same name is known. */
    drop(object: T) {
      const before = store.get(keyOf(object))
      if (before && !isNewer(versionOf(before), versionOf(object))) remove(keyOf(object), object)
    },
    /** What a complete list of that version did not have is gone; what is newer may not be in it. */
    dropUnseen(seen: Set<string>, version: string) {
      for (const object of store.list()) {
        if (seen.has(keyOf(object)) || isNewer(versionOf(object), version)) continue
        remove(keyOf(object), object)
      }
    },
    subscribe(handler: Handler<T>) {
      for (const object of store.list()) told(handler, { type: 'added', object })
      handlers.add(handler)
      return () => void handlers.delete(handler)
    },
  }
}

export const versionOf = (object: KubeObject) => object.metadata.resourceVersion ?? '0'
