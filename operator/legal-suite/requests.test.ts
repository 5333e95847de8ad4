import { expect, test } from 'vitest'
import { aWhile, rolledOut, type Staged, settled, until } from '../testing/set.ts'

const monitoring = { served: { 'monitoring.coreos.com': ['servicemonitors'] } }

/** What the operator asks of the API server, by verb and kind, while something is done. */
async function asked(at: Staged, work: () => Promise<unknown>) {
  await aWhile()
  const from = at.api.asked.length
  await work()
  await aWhile()
  const counts: Record<string, number> = {}
  for (const { verb, collection, subresource } of at.api.asked.slice(from)) {
    const kind = `${collection.split('/').at(-1)}${subresource ? `/${subresource}` : ''}`
    counts[`${verb} ${kind}`] = (counts[`${verb} ${kind}`] ?? 0) + 1
  }
  return counts
}

test('a new version costs each Deployment one apply, and a few requests beside', async () => {
  const at = await rolledOut({ hibernated: true }, monitoring)
  const counts = await asked(at, async () => {
    await at.patch('LegalSuite', 'demo', { spec: { version: '2.0.0' } })
    await settled(at)
  })
  expect(counts).toMatchObject({ 'patch deployments': 8, 'create events': 1 })
  // The Secret of the database and the internal key; the monitor is not watched.
  expect(counts).toMatchObject({ 'get secrets': 2, 'get servicemonitors': 1 })
})

test('how its pods fare is told by watches: nothing is read again for it', async () => {
  const at = await rolledOut({}, monitoring)
  const counts = await asked(at, async () => {
    const status = { availableReplicas: 0 }
    await at.patch('Deployment', 'demo-memory', { status }, 'status')
    await until(() => expect(at.ready()?.status).toBe('False'))
  })
  expect(counts['get secrets']).toBeUndefined()
  expect(counts['get servicemonitors']).toBeUndefined()
})

test('a Secret of its own is read again when somebody changes it', async () => {
  const at = await rolledOut()
  const { id } = at.get('LegalSuite', 'demo').status.internalKey
  await at.patch('Secret', 'demo-internal-key', { data: { current: btoa('another') } })
  await until(() => expect(at.get('LegalSuite', 'demo').status.internalKey.id).not.toBe(id))
})
