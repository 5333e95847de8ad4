import type { LegalSuite } from '../api/legal-suite.ts'
import { objectName } from '../desired/common.ts'
import type { Client } from '../runtime/client.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { getResource } from '../runtime/resources.ts'
import { clusterApi } from './apis.ts'
import { healthOf } from './health.ts'
import type { Blocker, WorkloadLookup } from './rollout-plan.ts'
import type { SuitePods } from './suite-pods.ts'

type Cluster = KubeObject & { status?: { readyInstances?: number; phase?: string } }

const clusters = getResource(clusterApi, 'Cluster')

/** Returns why the database cannot be used yet, or undefined. External databases are not checked. */
export async function findDatabaseBlocker(
  client: Client,
  suite: LegalSuite,
  apis: ReadonlySet<string>,
  lookup: WorkloadLookup,
  pods: SuitePods,
): Promise<Blocker | undefined> {
  const { type } = suite.spec.database
  if (type === 'External') return undefined
  const waiting = (message: string): Blocker => ({
    state: 'reconciling',
    reason: 'DatabaseNotReady',
    message,
  })
  if (type === 'Embedded') {
    const live = lookup('StatefulSet', objectName(suite, 'postgres'))
    if (healthOf(live).ready) return undefined
    const problem = live && pods.findProblem(live)
    if (!problem) return waiting('waiting for the embedded PostgreSQL')
    const { reason, message, needsUser } = problem
    return {
      state: needsUser ? 'stalled' : 'reconciling',
      reason,
      message: `the embedded PostgreSQL does not start: ${message}`,
    }
  }
  if (!apis.has(clusterApi)) {
    const message =
      'database type CloudNativePG requires the CloudNativePG operator, which is not installed'
    return { state: 'stalled', reason: 'ApiNotFound', message }
  }
  const ref = { namespace: suite.metadata.namespace, name: objectName(suite, 'pg') }
  const { readyInstances = 0, phase } = (await client.get<Cluster>(clusters, ref))?.status ?? {}
  return readyInstances > 0
    ? undefined
    : waiting(`waiting for the CloudNativePG cluster${phase ? `: ${phase}` : ''}`)
}
