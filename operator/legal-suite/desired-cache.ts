import type { LegalSuite } from '../api/legal-suite.ts'
import { type Facts, restartAnnotation } from '../desired/common.ts'
import { desired } from '../desired/index.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { secretObjects } from './secrets.ts'

/**
 * Caches the desired objects of the most recently reconciled suites until one of their inputs changes. The
 * cache is small because the objects are large and reconciles of one suite come in bursts.
 */
export function makeDesiredCache(maxSuites = 16) {
  const cache = new Map<string, { inputs: string; objects: KubeObject[] }>()

  return (suite: LegalSuite, facts: Facts): KubeObject[] => {
    const { uid } = suite.metadata
    const { secrets, database, operatorNamespace, internalKey } = facts
    const inputs = JSON.stringify([
      suite.spec,
      suite.metadata.annotations?.[restartAnnotation],
      [...secrets],
      database,
      operatorNamespace,
      internalKey,
    ])
    const cached = cache.get(uid)
    const objects = cached?.inputs === inputs ? cached.objects : buildObjects(suite, facts)
    cache.delete(uid)
    cache.set(uid, { inputs, objects })
    for (const [oldest] of cache) if (cache.size > maxSuites) cache.delete(oldest)
    return objects
  }
}

const buildObjects = (suite: LegalSuite, facts: Facts) => [
  ...secretObjects(suite),
  ...desired(suite, facts),
]
