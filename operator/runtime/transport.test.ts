import { expect, test, vi } from 'vitest'
import type { Access } from './access.ts'
import { makeClient } from './client.ts'
import { makeFakeApi } from './testing/fake-api.ts'
import { configMap, configMaps } from './testing/informer-fixture.ts'
import { serve } from './testing/serve.ts'

const anonymous = async () => ({ headers: {}, tls: {} })

test('HTTP responses equal direct ones and connections are reused', async () => {
  const api = makeFakeApi()
  const server = await serve(api.transport)
  const client = makeClient({
    access: { server: server.url, namespace: 'ns', credentials: anonymous },
  })
  for (let n = 0; n < 30; n++)
    await client.create(configMaps, configMap(`map-${n}`, { text: '合同' }))
  expect(await client.list(configMaps, { namespace: 'ns', deadline: 7 })).toHaveLength(30)
  for (let n = 0; n < 30; n++)
    expect(await client.delete(configMaps, { namespace: 'ns', name: `map-${n}` })).toBe(true)
  expect(await client.list(configMaps, { namespace: 'ns' })).toEqual([])
  await server.close()
})

test('after a 401 the credentials are renewed and the request retried once', async () => {
  const api = makeFakeApi()
  const tokens: unknown[] = []
  const server = await serve(api.transport, ({ authorization }) => {
    tokens.push(authorization)
    return authorization === 'Bearer new' ? undefined : 401
  })
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, tls: {} })
  const clientWith = (credentials: Access['credentials']) =>
    makeClient({ access: { server: server.url, namespace: 'ns', credentials } })
  const client = clientWith(async (rejected) => bearer(rejected ? 'new' : 'old'))
  await client.create(configMaps, configMap('a'))
  expect(tokens).toEqual(['Bearer old', 'Bearer new'])
  const stale = clientWith(async () => bearer('old'))
  await expect(stale.create(configMaps, configMap('b'))).rejects.toMatchObject({ code: 401 })
  expect(tokens).toHaveLength(3)
  await server.close()
})

test('an aborted watch closes its connection', async () => {
  const api = makeFakeApi()
  const server = await serve(api.transport)
  const client = makeClient({
    access: { server: server.url, namespace: 'ns', credentials: anonymous },
  })
  const stop = new AbortController()
  const version = `${api.store.version}`
  const follow = async () => {
    const options = { namespace: 'ns', resourceVersion: version, timeoutSeconds: 60 }
    for await (const { type } of client.watch(configMaps, { ...options, signal: stop.signal })) {
      expect(type).toBe('ADDED')
      stop.abort(new Error('enough'))
    }
  }
  const following = follow()
  await client.create(configMaps, configMap('a'))
  await expect(following).rejects.toThrow('enough')
  await vi.waitFor(() => expect(server.open()).toBe(0))
  await server.close()
})
