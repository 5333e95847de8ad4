import { beforeAll, expect, test } from 'vitest'
import { runScript } from './client.ts'
import { versions } from './images.ts'
import { editSuite, ensureSuite, expectStatus, suiteObjects, waitUntilReady } from './suite.ts'

beforeAll(ensureSuite)

test('a wrong image tag is named in the status within 30 s, and the old pods keep running', async () => {
  const at = await suiteObjects()
  const countAvailable = async () =>
    (await at.list('Deployment')).map(({ status }) => status.availableReplicas)
  const before = await countAvailable()
  await editSuite({ version: 'no-such-tag' })
  await expectStatus(
    {
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: 'Ready',
          status: 'False',
          message: expect.stringContaining('legal-suite:no-such-tag'),
        }),
      ]),
    },
    30_000,
  )
  expect(await countAvailable()).toEqual(before)
  const { failures } = await runScript('request.mjs', { paths: ['/auth/me'] })
  expect(failures).toEqual([])
  await editSuite({ version: versions.current })
  await waitUntilReady()
})
