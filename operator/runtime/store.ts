import { type KubeObject, objectKey } from './objects.ts'

export type Indexes<T> = Record<string, (object: T) => string[]>

/** Objects by key and by index. */
export function makeStore<T extends KubeObject>(indexes: Indexes<T> = {}) {
  const objects = new Map<string, T>()
  const indexed = new Map<string, Map<string, Set<string>>>()
  for (const name of Object.keys(indexes)) indexed.set(name, new Map())

  function unindex(key: string, object: T) {
    for (const [name, values] of Object.entries(indexes)) {
      for (const value of values(object)) {
        const keys = indexed.get(name)!.get(value)
        keys?.delete(key)
        if (keys?.size === 0) indexed.get(name)!.delete(value)
      }
    }
  }

  function index(key: string, object: T) {
    for (const [name, values] of Object.entries(indexes)) {
      const index = indexed.get(name)!
      for (const value of values(object)) {
        const keys = index.get(value) ?? new Set()
        index.set(value, keys.add(key))
      }
    }
  }

  return {
    get: (key: string) => objects.get(key),
    set(object: T) {
      const key = objectKey(object)
      const before = objects.get(key)
      if (before) unindex(key, before)
      objects.set(key, object)
      index(key, object)
    },
    delete(key: string) {
      const before = objects.get(key)
      if (!before) return
      unindex(key, before)
      objects.delete(key)
    },
    list: () => [...objects.values()],
    keys: () => objects.keys(),
    by(name: string, value: string): T[] {
      const index = indexed.get(name)
      if (!index) throw new Error(`unknown index "${name}"`)
      return [...(index.get(value) ?? [])].map((key) => objects.get(key)!)
    },
    get size() {
      return objects.size
    },
  }
}

/** Compares resource versions, which can exceed the safe integer range. */
export const isNewer = (version: string, than: string) =>
  version.length === than.length ? version > than : version.length > than.length
