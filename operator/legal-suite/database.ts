import type { LegalSuite } from '../api/legal-suite.ts'
import { nameOf } from '../desired/common.ts'
import type { Client } from '../runtime/client.ts'
import type { KubeObject } from '../runtime/objects.ts'
import { resourceOf } from '../runtime/resources.ts'
import { clusterApi } from './apis.ts'
import { healthOf } from './health.ts'
import type { Look, Obstacle } from './rollout.ts'

type Cluster = KubeObject & { status?: { readyInstances?: number; phase?: string } }

const clusters = resourceOf(clusterApi, 'Cluster')

/** What keeps the database from being used; nothing when it can be. One of your own is yours to keep. */
export async function databaseObstacle(
  client: Client,
  suite: LegalSuite,
  apis: ReadonlySet<string>,
  look: Look,
): Promise<Obstacle | undefined> {
  const { type } = suite.spec.database
  if (type === 'External') return undefined
  const waiting = (message: string): Obstacle => ({
    state: 'reconciling',
    reason: 'DatabaseNotReady',
    message,
  })
  if (type === 'Embedded') {
    const { ready } = healthOf(look('StatefulSet', nameOf(suite, 'postgres')))
    return ready ? undefined : waiting('waiting for the embedded PostgreSQL')
  }
  if (!apis.has(clusterApi)) {
    const message = 'database CloudNativePG needs the CloudNativePG operator in this cluster'
    return { state: 'stalled', reason: 'ApiNotFound', message }
  }
  const ref = { namespace: suite.metadata.namespace, name: nameOf(suite, 'pg') }
  const { readyInstances = 0, phase } = (await client.get<Cluster>(clusters, ref))?.status ?? {}
  return readyInstances > 0
    ? undefined
    : waiting(`waiting for the CloudNativePG cluster${phase ? `: ${phase}` : ''}`)
}
