import type { Principal } from './principal.ts'

/** Principals by credential, in memory only. A revocation takes effect on every replica within one second. */
export interface IdentityCache {
  /** Returns the cached principal, or loads it. Concurrent requests share one query. */
  resolve(
    credential: string,
    load: () => Promise<Principal | undefined>,
  ): Promise<Principal | undefined>
  clear(): void
}

interface Entry {
  principal: Promise<Principal | undefined>
  until: number
}

/** Below one second, because a request that was just authenticated still has to be handled. */
const lifetimeMs = 900
const maxEntries = 10_000

export function makeIdentityCache(now: () => number = Date.now): IdentityCache {
  const entries = new Map<string, Entry>()
  let generation = 0
  return {
    async resolve(credential, load) {
      const existing = entries.get(credential)
      if (existing && existing.until > now()) return existing.principal
      // The lifetime starts before the query: a revocation may commit right after it was read.
      const [until, started] = [now() + lifetimeMs, generation]
      const entry: Entry = { until, principal: load() }
      if (entries.size >= maxEntries) entries.clear()
      // After a `clear` during the query its result may be revoked already.
      if (started === generation) entries.set(credential, entry)
      let principal: Principal | undefined
      try {
        principal = await entry.principal
      } finally {
        if (!principal && entries.get(credential) === entry) entries.delete(credential)
      }
      return principal
    },
    clear() {
      generation++
      entries.clear()
    },
  }
}
