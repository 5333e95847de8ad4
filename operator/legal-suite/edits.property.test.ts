import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { type Harness, makeHarness } from '../testing/harness.ts'
import { watchInvariants } from '../testing/invariants.ts'
import { propertySeed } from '../testing/property-seed.ts'
import { minimalSpec } from '../testing/suites.ts'

const external = (name: string) => ({
  type: 'External',
  external: { secretRef: { name, key: 'url' } },
})
const oidc = { issuer: 'https://login.example.com', audience: 'legal', clientId: 'legal' }
const choices = {
  version: ['1.0.0', '2.0.0'],
  database: [
    external('db'),
    external('absent'),
    { type: 'Embedded' },
    { type: 'CloudNativePG', cloudNativePG: { storage: { size: '1Gi' } } },
  ],
  search: [
    undefined,
    { type: 'Managed' },
    { type: 'External', external: { url: 'https://q.example.com' } },
  ],
  graph: [undefined, { type: 'Managed' }],
  objectStorage: [
    undefined,
    { type: 'S3', s3: { bucket: 'b', credentialsSecretRef: { name: 's3' } } },
  ],
  gateway: [
    undefined,
    { host: 'a.example.com', oidc, ingress: {} },
    { host: 'a.example.com', oidc, httpRoute: { parentRef: { name: 'edge' } } },
  ],
  networkPolicy: [undefined, { enabled: false }, { egress: 'Open' }],
  services: [
    undefined,
    { matter: { replicas: 3 } },
    { matter: { autoscaling: { maxReplicas: 4 } } },
  ],
  internalKey: [undefined, { secretName: 'own-key' }],
  monitoring: [undefined, { enabled: false }],
  deletionPolicy: ['Retain', 'Delete'],
  hibernated: [false, false, true],
} as const

const spec = fc.record(
  Object.fromEntries(
    Object.entries(choices).map(([name, values]) => [
      name,
      fc.constantFrom(...(values as readonly unknown[])),
    ]),
  ),
)
/** Progress of the rollout before the next edit, and whether discovery fails or the operator restarts meanwhile. */
const step = fc.record({
  spec,
  progress: fc.constantFrom('none', 'platform|files|memory', 'migrate|platform', 'all'),
  lostApis: fc.boolean(),
  restarts: fc.boolean(),
})

type Step = { spec: object; progress: string; lostApis: boolean; restarts: boolean }

const buildApiGroups = () => ({
  'postgresql.cnpg.io': ['clusters'],
  'gateway.networking.k8s.io': ['httproutes'],
  'monitoring.coreos.com': ['servicemonitors'],
})

test('no sequence of edits deletes data or anything that a running pod uses', {
  timeout: 600_000,
}, async () => {
  const { EDITS_SEED, EDITS_PATH, EDITS_RUNS } = process.env
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 4 }), runEdits), {
    numRuns: Number(EDITS_RUNS ?? 3),
    seed: EDITS_SEED ? Number(EDITS_SEED) : propertySeed,
    ...(EDITS_PATH && { path: EDITS_PATH }),
    // A failing sequence is printed with its seed and path; shrinking would repeat slow rollouts.
    endOnFailure: true,
  })
})

async function runEdits(steps: Step[]) {
  const apis: Record<string, string[]> = buildApiGroups()
  const harness = makeHarness({ served: apis, discoveryMaxAgeMs: 20 })
  const { api } = harness
  let operator = harness
  const { violations, stop } = watchInvariants(harness)
  try {
    await harness.secret('db', { url: 'postgres://x' })
    await harness.secret('s3', { 'access-key-id': 'a', 'secret-access-key': 'b' })
    await harness.secret('own-key', { current: 'a-key-of-the-user', accepted: '' })
    await harness.secret('demo-pg-app', { uri: 'postgres://y' })
    await harness.suite(minimalSpec)
    await settle(harness, /./)
    for (const { spec, progress, lostApis, restarts } of steps) {
      if (lostApis) for (const group of Object.keys(apis)) delete apis[group]
      await replaceSpec(harness, spec)
      if (restarts) {
        await operator.stop()
        operator = makeHarness({ api, discoveryMaxAgeMs: 20 })
      }
      await idle(harness)
      if (progress !== 'none')
        await settle(harness, new RegExp(progress === 'all' ? '.' : progress))
      Object.assign(apis, buildApiGroups())
      expect(violations).toEqual([])
    }
    await finish(harness)
    expect(violations).toEqual([])
    expect(listUntracked(harness)).toEqual([])
  } finally {
    stop()
    await operator.stop()
  }
}

async function replaceSpec(harness: Harness, spec: object) {
  const { spec: before } = harness.get('LegalSuite', 'demo')
  const cleared = Object.fromEntries(Object.keys(before).map((name) => [name, null]))
  const database = { external: null, cloudNativePG: null, ...(spec as any).database }
  const next = Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined))
  const nullMissingMembers = (name: string) => nullMembers(before[name], (next as any)[name])
  for (const name of Object.keys(next)) (next as any)[name] = nullMissingMembers(name)
  await harness.patch('LegalSuite', 'demo', { spec: { ...cleared, ...next, database } })
}

/** Merge patch that replaces an object: members that are gone are set to null. */
function nullMembers(before: any, next: any): any {
  if (typeof before !== 'object' || typeof next !== 'object' || !before || !next) return next
  const gone = Object.keys(before).filter((name) => !(name in next))
  return {
    ...Object.fromEntries(gone.map((name) => [name, null])),
    ...Object.fromEntries(
      Object.entries(next).map(([name, value]) => [name, nullMembers(before[name], value)]),
    ),
  }
}

/** Waits until the operator has sent no request for a while. */
async function idle(harness: Harness) {
  for (let seen = -1; seen !== harness.api.requests.length; ) {
    seen = harness.api.requests.length
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Lets the pods of matching workloads become ready until the operator has nothing left to do. */
async function settle(harness: Harness, only: RegExp) {
  for (let round = 0; round < 14; round++) {
    const before = harness.api.writes()
    await harness.settle(only)
    if (only.test('pg'))
      for (const { metadata, status } of harness.list('Cluster'))
        if (!status)
          await harness.patch('Cluster', metadata.name, { status: { readyInstances: 1 } }, 'status')
    await idle(harness)
    if (harness.api.writes() === before) return
  }
}

/** Ends with a spec that can become ready. */
async function finish(harness: Harness) {
  await replaceSpec(harness, { ...minimalSpec, hibernated: false })
  const check = async () => {
    await settle(harness, /./)
    const { metadata, status } = harness.get('LegalSuite', 'demo')
    expect(harness.ready()).toMatchObject({ reason: 'Ready', message: 'all services are ready' })
    expect(status.observedGeneration).toBe(metadata.generation)
  }
  await vi.waitFor(check, { timeout: 120_000 })
  await harness.patch('LegalSuite', 'demo', { metadata: { annotations: { resync: 'now' } } })
  await settle(harness, /./)
}

/** Objects of the suite that neither the inventory nor the retained list names. */
function listUntracked(harness: Harness) {
  const { inventory, retained = [] } = harness.get('LegalSuite', 'demo').status
  const tracked = new Set([...inventory, ...retained].map(({ kind, name }) => `${kind} ${name}`))
  const kinds = [
    'Deployment',
    'StatefulSet',
    'Service',
    'Secret',
    'PersistentVolumeClaim',
    'Cluster',
  ]
  return kinds
    .flatMap((kind) => harness.list(kind))
    .filter(({ metadata }) => metadata.labels?.['legalsuite.dev/suite'] === 'demo')
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    .filter((name) => !tracked.has(name))
}
