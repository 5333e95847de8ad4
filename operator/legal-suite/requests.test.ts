import { expect, test } from 'vitest'
import {
  eventually,
  type Staged,
  settleDelay,
  startReadySuite,
  waitUntilReady,
} from '../testing/fixtures.ts'

const monitoring = { served: { 'monitoring.coreos.com': ['servicemonitors'] } }

/** Counts the requests of the operator during an action, by verb and kind. */
async function recordRequests(at: Staged, work: () => Promise<unknown>) {
  await settleDelay()
  const from = at.api.requests.length
  await work()
  await settleDelay()
  const counts: Record<string, number> = {}
  for (const { verb, collection, subresource } of at.api.requests.slice(from)) {
    const kind = `${collection.split('/').at(-1)}${subresource ? `/${subresource}` : ''}`
    counts[`${verb} ${kind}`] = (counts[`${verb} ${kind}`] ?? 0) + 1
  }
  return counts
}

test('a new version needs one apply per Deployment and few other requests', async () => {
  const at = await startReadySuite({ hibernated: true }, monitoring)
  const counts = await recordRequests(at, async () => {
    await at.patch('LegalSuite', 'demo', { spec: { version: '2.0.0' } })
    await waitUntilReady(at)
  })
  expect(counts).toMatchObject({ 'patch deployments': 8, 'create events': 1 })
  // Reads the database Secret, the internal key, the metrics token and the unwatched ServiceMonitor.
  expect(counts).toMatchObject({ 'get secrets': 3, 'get servicemonitors': 1 })
})

test('status changes of pods cause no reads', async () => {
  const at = await startReadySuite({}, monitoring)
  const counts = await recordRequests(at, async () => {
    const status = { availableReplicas: 0 }
    await at.patch('Deployment', 'demo-memory', { status }, 'status')
    await eventually(() => expect(at.ready()?.status).toBe('False'))
  })
  expect(counts['get secrets']).toBeUndefined()
  expect(counts['get servicemonitors']).toBeUndefined()
})

test('a changed generated Secret is read again', async () => {
  const at = await startReadySuite()
  const { id } = at.get('LegalSuite', 'demo').status.internalKey
  await at.patch('Secret', 'demo-internal-key', { data: { current: btoa('another') } })
  await eventually(() => expect(at.get('LegalSuite', 'demo').status.internalKey.id).not.toBe(id))
})
