import { type KubeObject, keyOf } from './objects.ts'

export type Indexes<T> = Record<string, (object: T) => string[]>

/** Objects by key, and by whatever else the indexes say. */
export function makeStore<T extends KubeObject>(indexes: Indexes<T> = {}) {
  const objects = new Map<string, T>()
  const found = new Map<string, Map<string, Set<string>>>()
  for (const name of Object.keys(indexes)) found.set(name, new Map())

  function unindex(key: string, object: T) {
    for (const [name, values] of Object.entries(indexes)) {
      for (const value of values(object)) {
        const keys = found.get(name)!.get(value)
        keys?.delete(key)
        if (keys?.size === 0) found.get(name)!.delete(value)
      }
    }
  }

  function index(key: string, object: T) {
    for (const [name, values] of Object.entries(indexes)) {
      const index = found.get(name)!
      for (const value of values(object)) {
        const keys = index.get(value) ?? new Set()
        index.set(value, keys.add(key))
      }
    }
  }

  return {
    get: (key: string) => objects.get(key),
    set(object: T) {
      const key = keyOf(object)
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
      const index = found.get(name)
      if (!index) throw new Error(`there is no index "${name}"`)
      return [...(index.get(value) ?? [])].map((key) => objects.get(key)!)
    },
    get size() {
      return objects.size
    },
  }
}

/** Resource versions are counting numbers that may be longer than a number is exact. */
export const isNewer = (version: string, than: string) =>
  version.length === than.length ? version > than : version.length > than.length
