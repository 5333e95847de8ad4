import { isDeepStrictEqual } from 'node:util'
import type { LegalSuite } from '../api/legal-suite.ts'
import type { Change } from '../runtime/informer.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { endOf, healthOf, type Workload } from './health.ts'

/** What the operator says of a suite itself is no reason to look at it again. */
export const isAsked = (change: Change<LegalSuite>) =>
  change.type !== 'updated' ||
  change.before.metadata.generation !== change.object.metadata.generation ||
  isDescribedAnew(change.before, change.object)

/**
 * Whether a change of an object of a suite may ask for something: it is another than before, or it fares
 * otherwise. Its controller says more than that, and says it often.
 */
export function matters(change: Change<KubeObject>): boolean {
  if (change.type !== 'updated') return true
  const { before, object } = change
  const { generation } = object.metadata
  return (
    generation === undefined ||
    generation !== before.metadata.generation ||
    isDescribedAnew(before, object) ||
    !isDeepStrictEqual(stateOf(before), stateOf(object))
  )
}

const isDescribedAnew = (before: KubeObject, after: KubeObject) =>
  !isDeepStrictEqual(described(before), described(after))

function described({ metadata }: KubeObject) {
  const { labels, annotations = {}, ownerReferences, deletionTimestamp } = metadata
  const said = Object.entries(annotations).filter(([name]) => !name.startsWith('deployment.'))
  return { labels, ownerReferences, deletionTimestamp, annotations: Object.fromEntries(said) }
}

const stateOf = (object: KubeObject) =>
  object.kind === 'Job' ? endOf(object as Workload) : healthOf(object as Workload)
