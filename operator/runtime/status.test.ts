import { expect, test } from 'vitest'
import { isConflict, isInvalid } from './api-error.ts'
import { makeClient } from './client.ts'
import { finalize, withFinalizer } from './finalizer.ts'
import type { KubeObject } from './objects.ts'
import { getResource } from './resources.ts'
import { makeStatusWriter } from './status.ts'
import { makeFakeApi } from './testing/fake-api.ts'

const suites = getResource('legalsuite.dev/v1alpha1', 'LegalSuite')
const ref = { namespace: 'ns', name: 's' }
const place = { collection: 'legalsuite.dev/legalsuites', ...ref }

async function setUp() {
  const api = makeFakeApi()
  const client = makeClient({ transport: api.transport })
  const suite: KubeObject = {
    apiVersion: 'legalsuite.dev/v1alpha1',
    kind: 'LegalSuite',
    metadata: ref,
    spec: { version: '1' },
  }
  await client.create(suites, suite)
  const get = async () => (await client.get(suites, ref))!
  return { api, client, get }
}

test('a status is written only if it changed', async () => {
  const { api, client, get } = await setUp()
  const writeStatus = makeStatusWriter()
  const before = api.writes()
  const first = await writeStatus(client, await get(), { phase: 'Pending', key: undefined })
  expect(first).toMatchObject({
    spec: { version: '1' },
    status: { phase: 'Pending' },
    metadata: { generation: 1 },
  })
  await writeStatus(client, await get(), { phase: 'Pending' })
  expect(api.writes()).toBe(before + 1)
  const second = await writeStatus(client, await get(), { seeds: 2 })
  expect(second.status).toEqual({ seeds: 2 })
})

test('a status normalized by the server is not written again', async () => {
  const { api, client, get } = await setUp()
  const writeStatus = makeStatusWriter()
  const dropping = {
    ...client,
    apply: async (...args: Parameters<typeof client.apply>) => {
      const [resource, object, options] = args
      return client.apply(resource, { ...object, status: { phase: 'Ready' } }, options)
    },
  } as typeof client
  for (let n = 0; n < 3; n++)
    await writeStatus(dropping, await get(), { phase: 'Ready', unknown: true })
  expect(api.requests.filter(({ subresource }) => subresource === 'status')).toHaveLength(1)
  const tampered = { ...(await get()), status: { phase: 'Broken' } }
  await writeStatus(dropping, tampered, { phase: 'Ready', unknown: true })
  expect(api.requests.filter(({ subresource }) => subresource === 'status')).toHaveLength(2)
})

test('a status is not written to a successor of the same name', async () => {
  const { api, client, get } = await setUp()
  const old = await get()
  api.store.remove(place)
  api.store.put(place, { ...old, metadata: { ...ref } })
  await expect(makeStatusWriter()(client, old, { phase: 'Ready' })).rejects.toSatisfy(isInvalid)
})

test('a finalizer is added once and removed only after a successful clean-up', async () => {
  const { api, client, get } = await setUp()
  const name = 'legalsuite.dev/cleanup'
  const withIt = await withFinalizer(client, await get(), name)
  expect(withIt.metadata.finalizers).toEqual([name])
  const before = api.writes()
  await withFinalizer(client, withIt, name)
  let cleaned = 0
  await finalize(client, withIt, name, async () => void cleaned++)
  expect([api.writes(), cleaned]).toEqual([before, 0])

  await client.delete(suites, ref)
  const failing = finalize(client, await get(), name, () =>
    Promise.reject(new Error('still in use')),
  )
  await expect(failing).rejects.toThrow('still in use')
  expect((await get()).metadata.finalizers).toEqual([name])
  await finalize(client, await get(), name, async () => void cleaned++)
  expect(cleaned).toBe(1)
  expect(api.store.get(place)).toBeUndefined()
})

test('finalizers added concurrently are kept', async () => {
  const { api, client, get } = await setUp()
  const old = await get()
  api.store.put(place, { ...old, metadata: { ...old.metadata, finalizers: ['other'] } })
  await expect(withFinalizer(client, old, 'ours')).rejects.toSatisfy(isConflict)
  expect((await get()).metadata.finalizers).toEqual(['other'])
})
