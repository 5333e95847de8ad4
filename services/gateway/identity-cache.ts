import type { Principal } from './principal.ts'

/** Principals by credential hash. A revocation takes effect on every replica within one second. */
export interface IdentityCache {
  /** Returns the cached principal, or loads it. */
  resolve(hash: string, load: () => Promise<Principal | undefined>): Promise<Principal | undefined>
  clear(): void
}

/** Below one second, because a request that was just authenticated still has to be handled. */
const lifetimeMs = 900
const maxEntries = 10_000

export function makeIdentityCache(now: () => number = Date.now): IdentityCache {
  const entries = new Map<string, { principal: Principal; until: number }>()
  let generation = 0
  return {
    async resolve(hash, load) {
      const entry = entries.get(hash)
      if (entry && entry.until > now()) return entry.principal
      entries.delete(hash)
      // The lifetime starts before the query: a revocation may commit right after it was read.
      const [until, current] = [now() + lifetimeMs, generation]
      const principal = await load()
      // After a `clear` during the query its result may be revoked already.
      if (principal && current === generation) {
        if (entries.size >= maxEntries) entries.clear()
        entries.set(hash, { principal, until })
      }
      return principal
    },
    clear() {
      generation++
      entries.clear()
    },
  }
}
