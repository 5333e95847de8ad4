import type { LegalSuite } from '../api/legal-suite.ts'
import { findKeyMount, internalKeySecretName, type KeyMount } from '../desired/internal-key.ts'
import { healthOf, type Workload } from './health.ts'

interface KeySwitchInputs {
  workloads: Workload[]
  /** Returns whether a pod of an older template still runs. It sends and accepts other keys. */
  isDraining?: (workload: Workload) => boolean
}

/**
 * Returns the key Secrets that services have to mount now. A switch to another Secret takes three rollouts, so
 * that each service accepts a key before another service sends it:
 *
 * 1. stage: all services send the old key and accept the new one,
 * 2. promote: they send the new key and accept the old one,
 * 3. done: they mount the new Secret alone.
 *
 * A step ends when the pods of the step before are gone. The step follows from the live Deployments, so it survives a restart of the operator. A target that changes
 * during a switch waits until the switch has ended.
 */
export function keyMountFor(
  suite: LegalSuite,
  { workloads, isDraining = () => false }: KeySwitchInputs,
): KeyMount {
  const configured = internalKeySecretName(suite)
  const services = workloads.flatMap((workload) => {
    const mount = mayHavePods(workload) ? findKeyMount(workload) : undefined
    if (!mount) return []
    return [{ mount, updated: healthOf(workload).updated && !isDraining(workload) }]
  })
  const target =
    pendingTarget(
      services.map(({ mount }) => mount),
      configured,
    ) ?? configured
  const done = { current: target }
  if (suite.spec.hibernated || services.length === 0) return { current: configured }
  const allUpdated = services.every(({ updated }) => updated)
  const other = services.map(({ mount }) => mount.current).find((name) => name !== target)
  if (other === undefined) {
    const previous = services.find(({ mount }) => mount.accepted)?.mount.accepted
    // The last step goes on although its own rollout makes services not updated.
    const isFinishing = services.some(({ mount }) => mount.accepted === undefined)
    return allUpdated || isFinishing || previous === undefined
      ? done
      : { current: target, accepted: previous }
  }
  const isPromoting = services.some(({ mount }) => mount.current === target && mount.accepted)
  const allAccept = services.every(
    ({ mount }) => mount.current === target || mount.accepted === target,
  )
  return isPromoting || (allUpdated && allAccept)
    ? { current: target, accepted: other }
    : { current: other, accepted: target }
}

/** A Deployment without pods neither sends nor accepts keys. */
const mayHavePods = ({ kind, spec, status }: Workload) =>
  kind === 'Deployment' && ((spec?.replicas ?? 1) > 0 || (status?.replicas ?? 0) > 0)

/**
 * The Secret on which a switch in progress ends if the configured one is neither of the two: the one that all
 * services send, else a fixed one of both, so that the choice does not change on the way.
 */
function pendingTarget(mounts: KeyMount[], configured: string): string | undefined {
  const pair = mounts.find(({ accepted }) => accepted !== undefined)
  if (!pair || pair.current === configured || pair.accepted === configured) return undefined
  return [...new Set(mounts.map(({ current }) => current))].sort()[0]
}

/**
 * Leaves out deleted old Secrets, which cannot be mounted any more. A configured Secret that is missing stays,
 * so that the rollout waits for it.
 */
export function withoutMissingKeys(
  { current, accepted }: KeyMount,
  missing: ReadonlySet<string>,
  configured: string,
): KeyMount {
  const isMissing = (name: string) => missing.has(`${name}/current`)
  if (isMissing(current)) return { current: configured }
  const isKept = accepted !== undefined && (accepted === configured || !isMissing(accepted))
  return isKept ? { current, accepted } : { current }
}
