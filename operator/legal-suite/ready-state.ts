import type { LegalSuite } from '../api/legal-suite.ts'
import { routeApi } from '../desired/gateway.ts'
import { ApiError } from '../runtime/api-error.ts'
import type { Outcome } from '../runtime/apply.ts'
import type { ReadyState } from '../runtime/conditions.ts'
import { hibernatingState } from './rollout.ts'
import type { Blocker } from './rollout-plan.ts'

/** Derives the Ready state from the outcome of a reconcile: the first failure or blocker, else ready. */
export function readyStateOf(
  suite: LegalSuite,
  outcomes: Outcome[],
  blocker: Blocker | undefined,
  apis: ReadonlySet<string>,
  remainingPods = 0,
): ReadyState {
  const failure = failureState(outcomes) ?? (blocker?.state === 'stalled' ? blocker : undefined)
  if (failure) return failure
  if (suite.spec.gateway?.httpRoute && !apis.has(routeApi)) {
    const message = 'gateway.httpRoute requires the Gateway API, which is not installed'
    return { state: 'stalled', reason: 'ApiNotFound', message }
  }
  if (blocker) return blocker
  if (suite.spec.hibernated && remainingPods > 0) return hibernatingState(remainingPods)
  return suite.spec.hibernated
    ? {
        state: 'ready',
        reason: 'Hibernated',
        message: 'all workloads are scaled to zero; data is retained',
      }
    : { state: 'ready', reason: 'Ready', message: 'all services are ready' }
}

const objectName = ({ id }: Outcome) => `${id.kind} ${id.name}`

function failureState(outcomes: Outcome[]): ReadyState | undefined {
  const foreign = outcomes.filter((each) => each.action === 'conflict')
  if (foreign.length > 0) return foreignObjectState(foreign.map(objectName))
  const failed = outcomes.filter((each) => each.action === 'failed')
  const [rejected] = failed.filter(
    ({ error }) =>
      error instanceof ApiError &&
      error.code >= 400 &&
      error.code < 500 &&
      error.code !== 409 &&
      error.code !== 429,
  )
  const first = rejected ?? failed[0]
  if (!first) return undefined
  const message = `${objectName(first)}: ${(first.error as Error).message}`
  return rejected
    ? { state: 'stalled', reason: 'Refused', message }
    : { state: 'reconciling', reason: 'ApplyFailed', message }
}

/** A Secret, an API or the database cluster could not be read. Without permission only a user can help. */
export const readFailedState = ({ code, message }: ApiError): ReadyState =>
  code === 403
    ? { state: 'stalled', reason: 'Forbidden', message }
    : { state: 'reconciling', reason: 'ReadFailed', message }

type LostSecret = { name: string; volume?: string }

/** Stalls because a new random value would not open the existing volume, or would be rejected by services. */
export function lostSecretState(lost: LostSecret[]): ReadyState {
  const passwords = lost.filter(({ volume }) => volume)
  const list = passwords.map(
    ({ name, volume }) => `Secret ${name} of PersistentVolumeClaim ${volume}`,
  )
  if (list.length > 0)
    return {
      state: 'stalled',
      reason: 'PasswordLost',
      message: `the password of an existing volume is gone: ${list.join(', ')}; restore the Secret from a backup, or delete the volume`,
    }
  return {
    state: 'stalled',
    reason: 'InternalKeyLost',
    message: `Secret ${lost[0]!.name} with the internal key of running services is gone; restore it from a backup, or set internalKey.secretName to a Secret with a new key`,
  }
}

/** Stalls because objects with desired names exist that this operator does not manage. */
export const foreignObjectState = (names: string[]): ReadyState => ({
  state: 'stalled',
  reason: 'ForeignObject',
  message: `objects exist but are not managed by this operator: ${names.join(', ')}; delete them or annotate them with legalsuite.dev/adopt=true`,
})
