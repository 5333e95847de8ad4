import { beforeAll, expect, test } from 'vitest'
import { startLoad } from './client.ts'
import { versions } from './images.ts'
import { editSuite, ensureSuite, waitUntilReady } from './suite.ts'

beforeAll(ensureSuite)

test('an upgrade and a downgrade fail no request and reset no connection', async () => {
  const load = startLoad()
  for (const version of [versions.next, versions.current]) {
    await editSuite({ version })
    const { status } = await waitUntilReady()
    expect(status).toMatchObject({ version, phase: 'Ready' })
  }
  const { failures, lost, acknowledged } = await load.stop()
  expect({ failures, lost }).toEqual({ failures: [], lost: [] })
  expect(acknowledged).toBeGreaterThan(0)
})
