import type { Log } from '../../services/_kit/log.ts'
import { errorFields } from '../../services/_kit/log.ts'
import { type KubeObject, objectKey } from './objects.ts'
import { type Indexes, isNewer, makeStore } from './store.ts'

/** `resync`: a relist found the object unchanged. */
export type Change<T> =
  | { type: 'added'; object: T }
  | { type: 'updated'; object: T; before: T }
  | { type: 'deleted'; object: T }
  | { type: 'resync'; object: T }

export type Handler<T> = (change: Change<T>) => void

/**
 * Stores objects and dispatches changes. Resource versions decide which object is newer, because the response
 * to an own write can arrive before or after the watch event.
 */
export function makeObjectCache<T extends KubeObject>(log: Log, indexes?: Indexes<T>) {
  const store = makeStore<T>(indexes)
  const handlers = new Set<Handler<T>>()
  const undispatched: Change<T>[] = []
  let dispatching = false

  /** Dispatches sequentially, although a handler may cause the next change. */
  function dispatch(change: Change<T>) {
    undispatched.push(change)
    if (dispatching) return
    dispatching = true
    for (let next = undispatched.shift(); next; next = undispatched.shift()) {
      for (const handler of [...handlers]) callHandler(handler, next)
    }
    dispatching = false
  }

  function callHandler(handler: Handler<T>, change: Change<T>) {
    try {
      handler(change)
    } catch (error) {
      log.error({ ...errorFields(error), object: objectKey(change.object) }, 'event handler failed')
    }
  }

  function remove(key: string, object: T) {
    store.delete(key)
    dispatch({ type: 'deleted', object })
  }

  /** Returns false if the stored object is not older. */
  function upsert(object: T): boolean {
    const key = objectKey(object)
    const before = store.get(key)
    if (before && !isNewer(getResourceVersion(object), getResourceVersion(before))) return false
    const replaced = before && before.metadata.uid !== object.metadata.uid
    if (replaced) remove(key, before)
    store.set(object)
    dispatch(before && !replaced ? { type: 'updated', object, before } : { type: 'added', object })
    return true
  }

  return {
    store,
    take: upsert,
    resync: (object: T) => dispatch({ type: 'resync', object }),
    removeUnlessNewer(object: T) {
      const before = store.get(objectKey(object))
      if (before && !isNewer(getResourceVersion(before), getResourceVersion(object)))
        remove(objectKey(object), object)
    },
    /** Removes objects missing from a complete list of that version. Newer objects are kept. */
    removeMissing(listedKeys: Set<string>, version: string) {
      for (const object of store.list()) {
        if (listedKeys.has(objectKey(object)) || isNewer(getResourceVersion(object), version))
          continue
        remove(objectKey(object), object)
      }
    },
    subscribe(handler: Handler<T>) {
      for (const object of store.list()) callHandler(handler, { type: 'added', object })
      handlers.add(handler)
      return () => void handlers.delete(handler)
    },
  }
}

export const getResourceVersion = (object: KubeObject) => object.metadata.resourceVersion ?? '0'
