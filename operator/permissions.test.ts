import { expect, test } from 'vitest'
import { buildRun, okResponse, startFakeCollector } from './testing/fake-collector.ts'
import { type Harness, makeHarness } from './testing/harness.ts'
import { grantedPermissions, withoutPermission } from './testing/permissions.ts'

const served = {
  'postgresql.cnpg.io': ['clusters'],
  'gateway.networking.k8s.io': ['httproutes'],
  'monitoring.coreos.com': ['servicemonitors'],
}
const oidc = { issuer: 'https://b.example.com', audience: 'c', clientId: 'legal' }

/** Creates, edits and reduces a suite so that the operator needs each of its permissions. */
async function exercise(at: Harness, isOver: () => boolean) {
  const until = async (check: () => unknown) => {
    while (!isOver()) {
      await at.settle()
      if (check()) return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const isReady = () => {
    const { status, metadata } = at.get('LegalSuite', 'demo')
    const isObserved = status?.observedGeneration === metadata.generation
    return isObserved && at.ready()?.status === 'True'
  }
  const edit = async (spec: object) => {
    await at.patch('LegalSuite', 'demo', { spec })
    await until(isReady)
  }
  await at.secret('db', { url: 'postgres://x' })
  await at.suite({
    deletionPolicy: 'Delete',
    database: { type: 'CloudNativePG', cloudNativePG: { storage: { size: '1Gi' } } },
    services: { matter: { autoscaling: { maxReplicas: 2 } } },
    search: { type: 'Managed' },
    graph: { type: 'Managed' },
    gateway: { host: 'a.example.com', httpRoute: { parentRef: { name: 'edge' } }, oidc },
  })
  await until(() => at.get('Cluster', 'demo-pg'))
  if (isOver()) return
  await at.secret('demo-pg-app', { uri: 'postgres://x' })
  await at.patch('Cluster', 'demo-pg', { status: { readyInstances: 1 } }, 'status')
  await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
  await until(isReady)
  await at.seed({ ttlSecondsAfterFinished: 0 })
  await until(() => !at.get('SeedPackageApply', 'seeds'))
  await edit({ version: '2.0.0', gateway: { httpRoute: null, ingress: {} } })
  // A repeated Event is patched.
  for (const _ of [1, 2]) {
    await at.patch('ServiceAccount', 'demo-files', { automountServiceAccountToken: true })
    await until(() => !at.get('ServiceAccount', 'demo-files').automountServiceAccountToken)
  }
  const external = { secretRef: { name: 'db', key: 'url' } }
  const database = { type: 'External', external, cloudNativePG: null }
  const monitoring = { enabled: false }
  await edit({ database, monitoring, gateway: null, search: null, graph: null, services: null })
  const { retained = [] } = at.get('LegalSuite', 'demo').status
  const uids = retained.map(({ uid }: { uid: string }) => uid).join(',')
  const annotations = { 'legalsuite.dev/remove-retained': uids }
  await at.patch('LegalSuite', 'demo', { metadata: { annotations } })
  await until(() => !at.get('Cluster', 'demo-pg'))
  // Events are written in the background.
  await until(() =>
    at.api.store.list('events.k8s.io/events').some(({ series }) => series !== undefined),
  )
}

test.each(grantedPermissions)(
  'without the permission to %s the operator is denied',
  {
    timeout: 120_000,
  },
  async (permission) => {
    const collector = await startFakeCollector()
    collector.setHandler((request) => okResponse(buildRun(request)))
    let denials = 0
    const at = makeHarness({
      served,
      collectorAddress: collector.address,
      elects: true,
      wrapTransport: withoutPermission(permission, () => denials++),
    })
    try {
      await exercise(at, () => denials > 0)
    } finally {
      // Releases the lease, which also needs a permission.
      await at.stop()
      await collector.stop()
    }
    expect(denials).toBeGreaterThan(0)
  },
)
