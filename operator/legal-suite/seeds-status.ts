import type { LegalSuite, LegalSuiteStatus } from '../api/legal-suite.ts'
import { objectName } from '../desired/common.ts'
import type { ReadyState } from '../runtime/conditions.ts'
import { healthOf } from './health.ts'
import type { WorkloadLookup } from './rollout-plan.ts'
import type { StartupRun } from './startup-seeds.ts'

type SeedsStatus = NonNullable<LegalSuiteStatus['seeds']>

/** Returns whether collector-service applies seed packages at startup. */
export const hasStartupSeeds = ({ spec: { seeds } }: LegalSuite) =>
  (seeds?.packageIds?.length ?? 0) > 0 || seeds?.resourcesOnStartup === true

/**
 * Follows the run that collector-service reports. Without a report its readiness decides: in production it is
 * ready only after its startup seeds were applied.
 */
export function seedsStatus(
  suite: LegalSuite,
  lookup: WorkloadLookup,
  run: StartupRun | undefined,
): SeedsStatus {
  const { seeds, environment = 'production' } = suite.spec
  const packageIds = seeds?.packageIds ?? []
  if (!hasStartupSeeds(suite)) return { packageIds, state: 'None' }
  const { ready } = healthOf(lookup('Deployment', objectName(suite, 'collector')))
  if (!ready) return { packageIds, state: 'Pending' }
  if (!run || run.status === 'running')
    return { packageIds, state: environment === 'production' ? 'Applied' : 'Started' }
  return {
    packageIds,
    state: run.status === 'succeeded' ? 'Applied' : 'Failed',
    runId: run.run_id,
    packages: run.packages
      .slice(0, 32)
      .map(({ package_id, version, status }) => ({ packageId: package_id, version, status })),
  }
}

/** A suite whose startup seeds failed is not Ready. Outside of production collector-service runs on. */
export function seedsReadyState(suite: LegalSuite, run: StartupRun): ReadyState | undefined {
  if (suite.spec.hibernated || run.status === 'running' || run.status === 'succeeded')
    return undefined
  const failed = run.packages.filter(({ status }) => status === 'failed')
  const names = failed.map(({ package_id }) => package_id).join(', ')
  const message = `startup seeds ${run.status} in run ${run.run_id}${names && `: ${names}`}`
  return { state: 'stalled', reason: 'SeedsFailed', message }
}
