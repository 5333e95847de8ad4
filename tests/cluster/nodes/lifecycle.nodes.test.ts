import { beforeAll, expect, test } from 'vitest'
import { eventually } from '../support.ts'
import { runScript, startLoad } from './client.ts'
import {
  editSuite,
  ensureSuite,
  expectStatus,
  queryDatabase,
  suiteObjects,
  waitUntilReady,
} from './suite.ts'

beforeAll(ensureSuite)

const countMatters = async () =>
  (await queryDatabase('select count(*)::int as count from matter.matters'))[0].count
const runningPods = async () =>
  (await (await suiteObjects()).list('Pod')).filter(
    ({ metadata, status }) =>
      metadata.labels['legalsuite.dev/suite'] === 'demo' && status.phase === 'Running',
  )

/** Writes a few matters. Returns how many there are. */
async function writeMatters(): Promise<number> {
  const { acknowledged, failures } = await startLoad({ connections: 1 }).stop()
  expect(failures).toEqual([])
  expect(acknowledged).toBeGreaterThan(0)
  return countMatters()
}

test('a hibernated suite runs no pod, and wakes with its data', async () => {
  const count = await writeMatters()
  await editSuite({ hibernated: true })
  await expectStatus({ phase: 'Hibernated' })
  await eventually(async () => expect(await runningPods()).toEqual([]))
  await editSuite({ hibernated: null })
  await waitUntilReady()
  expect(await countMatters()).toBe(count)
  expect(await runScript('request.mjs', { paths: ['/auth/me'] })).toEqual({ failures: [] })
})

test('a deleted suite with the policy Retain is restored with its data', async () => {
  const count = await writeMatters()
  const at = await suiteObjects()
  const volume = async () => (await at.get('PersistentVolumeClaim', 'demo-postgres')).metadata.uid
  const uid = await volume()
  await at.remove('LegalSuite', 'demo')
  await eventually(async () => {
    expect(await at.list('Deployment')).toHaveLength(1)
    expect(await runningPods()).toEqual([])
  }, 300_000)
  await ensureSuite()
  expect(await volume()).toBe(uid)
  expect(await countMatters()).toBe(count)
})
