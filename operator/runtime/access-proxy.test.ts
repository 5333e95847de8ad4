import { expect, onTestFinished, test } from 'vitest'
import { loadAccess } from './access.ts'
import { makeClient } from './client.ts'
import { proxyFromEnv } from './proxy-env.ts'
import { firstClient } from './testing/certificates.ts'
import { configMaps } from './testing/informer-fixture.ts'
import { makeConfigDirectory } from './testing/kubeconfig-files.ts'
import { startConnectProxy, startSocksProxy, startTlsApi } from './testing/tls-api.ts'

const user = {
  token: 'secret',
  'client-certificate-data': Buffer.from(firstClient.cert).toString('base64'),
  'client-key-data': Buffer.from(firstClient.key).toString('base64'),
}

/** The host name does not resolve, so only a proxy reaches the server. */
async function setUp(cluster: object, env: Record<string, string> = {}) {
  const { kubeconfig } = makeConfigDirectory()
  const api = await startTlsApi()
  onTestFinished(() => void api.close())
  const server = `https://api.test:${api.port}`
  const path = kubeconfig('config', { user, cluster: { server, ...cluster } })
  const access = await loadAccess({ KUBECONFIG: path, ...env })
  return { api, client: makeClient({ access, maxAttempts: 1 }) }
}

const identity = { authorization: 'Bearer secret', client: 'first' }

test('proxy-url of a kubeconfig tunnels requests and reuses the tunnel', async () => {
  const proxy = await startConnectProxy()
  onTestFinished(proxy.close)
  const { api, client } = await setUp({ 'proxy-url': proxy.url })
  for (let n = 0; n < 3; n++) await client.list(configMaps)
  expect(api.seen).toEqual([identity, identity, identity])
  expect(proxy.targets).toEqual([`api.test:${api.port}`])
})

test('HTTPS_PROXY tunnels requests unless NO_PROXY names the server', async () => {
  const proxy = await startConnectProxy()
  onTestFinished(proxy.close)
  const { api, client } = await setUp({}, { HTTPS_PROXY: proxy.url, NO_PROXY: '10.0.0.0/8' })
  await client.list(configMaps)
  expect(api.seen).toEqual([identity])
  expect(proxy.targets).toEqual([`api.test:${api.port}`])

  const excluded = await startTlsApi()
  onTestFinished(() => void excluded.close())
  const env = { HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.0/8' }
  const direct = await setUp({ server: excluded.url }, env)
  await direct.client.list(configMaps)
  expect(excluded.seen).toEqual([identity])
  expect(proxy.targets).toHaveLength(1)
})

test('proxy-url takes precedence over HTTPS_PROXY', async () => {
  const proxy = await startConnectProxy()
  onTestFinished(proxy.close)
  const { client } = await setUp(
    { 'proxy-url': proxy.url },
    { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '*' },
  )
  await client.list(configMaps)
  expect(proxy.targets).toHaveLength(1)
})

test.each(['proxy-url', 'HTTPS_PROXY'])('a SOCKS proxy of %s is used', async (setting) => {
  const proxy = await startSocksProxy()
  onTestFinished(proxy.close)
  const { api, client } =
    setting === 'proxy-url'
      ? await setUp({ 'proxy-url': proxy.url })
      : await setUp({}, { HTTPS_PROXY: proxy.url })
  await client.list(configMaps)
  expect(api.seen).toEqual([identity])
  expect(proxy.connections()).toBe(1)
})

test.each([
  ['https://10.1.2.3:6443', {}, true],
  ['https://10.1.2.3:6443', { NO_PROXY: '10.0.0.0/8' }, false],
  ['https://10.1.2.3:6443', { NO_PROXY: '192.168.0.0/16,10.1.2.3' }, false],
  ['https://10.1.2.3:6443', { NO_PROXY: '10.0.0.0/99, nonsense/8' }, true],
  ['https://[fd00::1]:6443', { NO_PROXY: 'fd00::/8' }, false],
  ['https://[fd00::1]:6443', { NO_PROXY: '[fd00::1]:6443' }, false],
  ['https://kubernetes.default.svc', { no_proxy: '.svc,.cluster.local' }, false],
  ['https://kubernetes.default.svc', { NO_PROXY: 'svc' }, false],
  ['https://kubernetes.default.svc', { NO_PROXY: 'default.svc:444' }, true],
  ['https://kubernetes.default.svc', { NO_PROXY: '*.default.svc:443' }, false],
  ['https://notsvc', { NO_PROXY: 'svc' }, true],
  ['https://api.test', { NO_PROXY: '*' }, false],
  ['https://127.0.0.1:6443', {}, false],
  ['https://[::1]:6443', {}, false],
  ['https://localhost:6443', {}, false],
  ['http://api.test', {}, false],
])('%s with %o uses the proxy: %s', (server, env, isProxied) => {
  const proxy = proxyFromEnv({ HTTPS_PROXY: 'proxy:3128', ...env }, new URL(server))
  expect(proxy).toBe(isProxied ? 'http://proxy:3128' : undefined)
})
