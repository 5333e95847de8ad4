import { isDeepStrictEqual } from 'node:util'
import type { LegalSuite } from '../api/legal-suite.ts'
import type { Change } from '../runtime/informer.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { healthOf, jobOutcome, type Workload } from './health.ts'
import type { Pod } from './pod.ts'
import { podProblem } from './pod-problem.ts'

/**
 * Predicate for suites: true if spec, labels or annotations changed. Ignores status updates of the operator.
 */
export const suiteSpecChanged = (change: Change<LegalSuite>) =>
  change.type !== 'updated' ||
  change.before.metadata.generation !== change.object.metadata.generation ||
  metadataChanged(change.before, change.object)

/**
 * Predicate for child objects: true if spec, metadata or health changed. Other status updates are frequent
 * and ignored.
 */
export function childStateChanged(change: Change<KubeObject>): boolean {
  if (change.type !== 'updated') return true
  const { before, object } = change
  const { generation } = object.metadata
  return (
    generation === undefined ||
    generation !== before.metadata.generation ||
    metadataChanged(before, object) ||
    !isDeepStrictEqual(observedState(before), observedState(object))
  )
}

/** Predicate for pods: true if a problem appears, changes or ends, or if the pod is gone. */
export function podStateChanged(change: Change<Pod>): boolean {
  if (change.type === 'deleted') return true
  if (change.type === 'resync') return false
  // Every unready container counts as a problem here: its probe has to be checked later.
  const problem = podProblem(change.object, Infinity)
  if (change.type === 'added') return problem !== undefined
  return !isDeepStrictEqual(problem, podProblem(change.before, Infinity))
}

const metadataChanged = (before: KubeObject, after: KubeObject) =>
  !isDeepStrictEqual(relevantMetadata(before), relevantMetadata(after))

function relevantMetadata({ metadata }: KubeObject) {
  const { labels, annotations = {}, ownerReferences, deletionTimestamp } = metadata
  const relevantAnnotations = Object.entries(annotations).filter(
    ([name]) => !name.startsWith('deployment.'),
  )
  return {
    labels,
    ownerReferences,
    deletionTimestamp,
    annotations: Object.fromEntries(relevantAnnotations),
  }
}

const observedState = (object: KubeObject) =>
  object.kind === 'Job' ? jobOutcome(object as Workload) : healthOf(object as Workload)
