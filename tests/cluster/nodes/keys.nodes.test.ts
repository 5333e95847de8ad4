import { beforeAll, expect, test } from 'vitest'
import { loadStories } from '../../support/story.ts'
import { runScript, startLoad } from './client.ts'
import { applyObjects } from './kubectl.ts'
import { suiteNamespace } from './namespaces.ts'
import { editSuite, ensureSuite, expectStatus, queryDatabase, waitUntilReady } from './suite.ts'

beforeAll(ensureSuite)

/** Tells a story again and again until it is stopped. */
function startConsultations() {
  const story = loadStories().find(({ name }) => /loan to a friend with an IOU/.test(name))!
  let stopped = false
  const told = (async () => {
    let count = 0
    for (; !stopped; count++) await runScript('consultation.mjs', { story })
    return count
  })()
  // The failure is reported by `stop`.
  told.catch(() => {})
  return {
    stop() {
      stopped = true
      return told
    },
  }
}

test('a rotation of the internal key under load fails no request and leaves no refused row', async () => {
  const stringData = { current: `rotated-${'x'.repeat(40)}`, accepted: '' }
  await applyObjects(suiteNamespace(), [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'rotated-key' }, stringData },
  ])
  const load = startLoad()
  const consultations = startConsultations()
  await editSuite({ internalKey: { secretName: 'rotated-key' } })
  await waitUntilReady()
  await expectStatus({ internalKey: { secretName: 'rotated-key' } })
  expect(await consultations.stop()).toBeGreaterThan(0)
  const { failures, lost, acknowledged } = await load.stop()
  expect({ failures, lost }).toEqual({ failures: [], lost: [] })
  expect(acknowledged).toBeGreaterThan(0)
  const refused = await queryDatabase(
    "select thread_id, error from ai_engine.outbox where status = 'REFUSED'",
  )
  expect(refused).toEqual([])
})
