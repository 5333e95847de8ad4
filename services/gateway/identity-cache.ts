import type { Principal } from './principal.ts'

/** Principals by credential hash. Entries live for one second, so a revocation takes effect within it. */
export interface IdentityCache {
  get(hash: string): Principal | undefined
  set(hash: string, principal: Principal): void
  clear(): void
}

const lifetimeMs = 1_000
const maxEntries = 10_000

export function makeIdentityCache(now: () => number = Date.now): IdentityCache {
  const entries = new Map<string, { principal: Principal; until: number }>()
  return {
    get(hash) {
      const entry = entries.get(hash)
      if (entry && entry.until > now()) return entry.principal
      entries.delete(hash)
      return undefined
    },
    set(hash, principal) {
      if (entries.size >= maxEntries) entries.clear()
      entries.set(hash, { principal, until: now() + lifetimeMs })
    },
    clear: () => entries.clear(),
  }
}
