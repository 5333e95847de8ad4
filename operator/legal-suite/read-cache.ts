import type { LegalSuite } from '../api/legal-suite.ts'
import { generatedSecrets } from '../desired/generated-secrets.ts'
import type { ObjectId } from '../runtime/inventory.ts'
import { idText, toObjectId } from '../runtime/inventory.ts'
import type { KubeObject } from '../runtime/objects.ts'
import type { SecretReads } from './secrets.ts'

/** Results of reads of unwatched objects. */
export interface ReadCache {
  secrets?: SecretReads
  get(id: ObjectId): KubeObject | undefined
  put(object: KubeObject): void
}

type LiveLookup = (id: ObjectId) => KubeObject | undefined

/**
 * Caches reads of unwatched objects between reconciles. Invalidated by a change of the suite or after
 * `maxAgeMs`.
 */
export function makeReadCache(maxAgeMs: number) {
  const caches = new Map<string, { key: string; at: number; cache: ReadCache }>()

  return (suite: LegalSuite, live: LiveLookup): ReadCache => {
    const key = cacheKey(suite, live)
    const now = performance.now()
    const cached = caches.get(suite.metadata.uid)
    if (cached?.key === key && now - cached.at < maxAgeMs) return cached.cache
    for (const [uid, { at }] of caches) if (now - at >= maxAgeMs) caches.delete(uid)
    const cache = emptyCache()
    caches.set(suite.metadata.uid, { key, at: now, cache })
    return cache
  }
}

function emptyCache(): ReadCache {
  const objects = new Map<string, KubeObject>()
  return {
    get: (id) => objects.get(idText(id)),
    put: (object) => void objects.set(idText(toObjectId(object)), object),
  }
}

/** Changes with the suite and with its generated Secrets. */
function cacheKey(suite: LegalSuite, live: LiveLookup): string {
  const { generation, labels, annotations, namespace } = suite.metadata
  const secrets = generatedSecrets(suite).map(
    ({ name }) =>
      live({ group: '', version: 'v1', kind: 'Secret', namespace, name })?.metadata.resourceVersion,
  )
  return JSON.stringify([generation, labels, annotations, secrets])
}
