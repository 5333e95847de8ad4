import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { kubeconfigAccess, loadAccess, tokenFile } from './access.ts'
import { makeClient } from './client.ts'
import { makeFakeApi } from './testing/fake-api.ts'
import { configMap, configMaps } from './testing/informer-fixture.ts'
import { serve } from './testing/serve.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'legal-suite-runtime-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function kubeconfig(user: object, cluster: object = {}) {
  const path = join(directory, 'config')
  const config = {
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'legal' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
  }
  writeFileSync(path, JSON.stringify(config))
  return path
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

test('a kubeconfig with inline or referenced certificates, tokens and namespace is read', async () => {
  writeFileSync(join(directory, 'client.key'), 'a key')
  const user = {
    'client-certificate-data': base64('a certificate'),
    'client-key': 'client.key',
    token: 'secret',
  }
  const access = await kubeconfigAccess(
    kubeconfig(user, {
      'certificate-authority-data': base64('an authority'),
      'insecure-skip-tls-verify': true,
    }),
  )
  expect(access).toMatchObject({ namespace: 'legal', insecure: true })
  expect(access.server.href).toBe('https://10.0.0.1:6443/')
  expect([access.ca, access.cert, access.key].map(String)).toEqual([
    'an authority',
    'a certificate',
    'a key',
  ])
  expect(await access.token()).toBe('secret')
})

test('unsupported kubeconfig features are reported', async () => {
  await expect(kubeconfigAccess(kubeconfig({ exec: { command: 'aws' } }))).rejects.toThrow(
    'exec plugins are not supported',
  )
  await expect(loadAccess({})).rejects.toThrow('set KUBECONFIG')
  await expect(loadAccess({ KUBECONFIG: kubeconfig({}) })).resolves.toMatchObject({
    namespace: 'legal',
  })
})

test('a token file is read again after its maximum age or a 401', async () => {
  const path = join(directory, 'token')
  writeFileSync(path, 'one\n')
  const token = tokenFile(path, 50_000)
  expect(await token()).toBe('one')
  writeFileSync(path, 'two\n')
  expect(await token()).toBe('one')
  expect(await token(true)).toBe('two')
  const impatient = tokenFile(path, -1)
  expect(await impatient()).toBe('two')
  writeFileSync(path, 'three')
  expect(await impatient()).toBe('three')
})

test('HTTP responses equal direct ones and connections are reused', async () => {
  const api = makeFakeApi()
  const server = await serve(api.transport)
  const client = makeClient({
    access: { server: server.url, namespace: 'ns', token: async () => undefined },
  })
  for (let n = 0; n < 30; n++)
    await client.create(configMaps, configMap(`map-${n}`, { text: '合同' }))
  expect(await client.list(configMaps, { namespace: 'ns', deadline: 7 })).toHaveLength(30)
  for (let n = 0; n < 30; n++)
    expect(await client.delete(configMaps, { namespace: 'ns', name: `map-${n}` })).toBe(true)
  expect(await client.list(configMaps, { namespace: 'ns' })).toEqual([])
  await server.close()
})

test('after a 401 the token is renewed and the request retried once', async () => {
  const api = makeFakeApi()
  const tokens: unknown[] = []
  const server = await serve(api.transport, ({ authorization }) => {
    tokens.push(authorization)
    return authorization === 'Bearer new' ? undefined : 401
  })
  const token = async (renew = false) => (renew ? 'new' : 'old')
  const client = makeClient({ access: { server: server.url, namespace: 'ns', token } })
  await client.create(configMaps, configMap('a'))
  expect(tokens).toEqual(['Bearer old', 'Bearer new'])
  const stale = makeClient({
    access: { server: server.url, namespace: 'ns', token: async () => 'old' },
  })
  await expect(stale.create(configMaps, configMap('b'))).rejects.toMatchObject({ code: 401 })
  await server.close()
})

test('an aborted watch closes its connection', async () => {
  const api = makeFakeApi()
  const server = await serve(api.transport)
  const client = makeClient({
    access: { server: server.url, namespace: 'ns', token: async () => undefined },
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
