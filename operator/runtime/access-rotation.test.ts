import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { kubeconfigAccess } from './access.ts'
import { makeClient } from './client.ts'
import { firstClient, secondClient } from './testing/certificates.ts'
import { configMaps } from './testing/informer-fixture.ts'
import { makeConfigDirectory } from './testing/kubeconfig-files.ts'
import { type SeenRequest, startTlsApi } from './testing/tls-api.ts'
import { DeadlineError } from './time.ts'

afterEach(() => vi.useRealTimers())

async function setUp(user: object, isAccepted?: (request: SeenRequest) => boolean) {
  const files = makeConfigDirectory()
  const api = await startTlsApi(isAccepted)
  onTestFinished(() => void api.close())
  const path = files.kubeconfig('config', { user, cluster: { server: api.url } })
  const connect = async () => makeClient({ access: await kubeconfigAccess(path), maxAttempts: 1 })
  return { ...files, api, connect }
}

const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin' }

/** Prints the credential of its n-th call: token-1, token-2, … */
const pluginLines = (expiry: string) => [
  'echo call >> calls',
  `n=$(wc -l < calls | tr -d ' ')`,
  'printf %s "$KUBERNETES_EXEC_INFO" > info',
  `expiry=${expiry}`,
  `printf '{"status":{"token":"token-%s","expirationTimestamp":"%s"}}' "$n" "$expiry"`,
]

test('an exec plugin is called again when its token has expired', async () => {
  const { api, connect, script } = await setUp({ exec })
  const expiry = '$([ "$n" -ge 2 ] && echo 2999-01-01T00:00:00Z || echo 2001-01-01T00:00:00Z)'
  script('plugin', pluginLines(expiry))
  const client = await connect()
  for (let n = 0; n < 4; n++) await client.list(configMaps)
  // The first token is expired at once, the second one is valid.
  expect(api.tokens()).toEqual(['token-1', 'token-2', 'token-2', 'token-2'])
})

test('an exec plugin is called once for concurrent requests, and again after a 401', async () => {
  const { api, connect, script, directory } = await setUp(
    { exec: { ...exec, provideClusterInfo: true } },
    ({ authorization }) => authorization === 'Bearer token-2',
  )
  script('plugin', pluginLines('2999-01-01T00:00:00Z'))
  const client = await connect()
  await Promise.all([1, 2, 3, 4, 5].map(() => client.list(configMaps)))
  expect(new Set(api.tokens())).toEqual(new Set(['token-1', 'token-2']))
  expect(readFileSync(join(directory, 'calls'), 'utf8')).toBe('call\n'.repeat(2))
  expect(JSON.parse(readFileSync(join(directory, 'info'), 'utf8'))).toMatchObject({
    kind: 'ExecCredential',
    spec: { interactive: false, cluster: { server: api.url } },
  })
})

test('an exec plugin that fails or hangs fails the request, not the process', async () => {
  const { api, connect, script, write, directory } = await setUp({ exec })
  script('plugin', ['echo "not signed in" >&2', 'exit 3'])
  const client = await connect()
  await expect(client.list(configMaps)).rejects.toThrow('not signed in')
  script('plugin', [
    'touch called',
    'while [ ! -e release ]; do sleep 0.05; done',
    ...pluginLines('2999-01-01T00:00:00Z'),
  ])
  await expect(client.list(configMaps, { deadlineMs: 500 })).rejects.toThrow(DeadlineError)
  expect(api.seen).toEqual([])
  await vi.waitFor(() => expect(existsSync(join(directory, 'called'))).toBe(true), 15_000)
  write('release', '')
  await client.list(configMaps, { deadlineMs: 15_000 })
  expect(api.tokens()).toEqual(['token-1'])
})

test('a rotated token file is read again after a minute, or at once after a 401', async () => {
  const accepted = new Set(['first', 'second'])
  const { api, connect, write } = await setUp({ tokenFile: 'token' }, ({ authorization }) =>
    accepted.has(authorization!.replace('Bearer ', '')),
  )
  vi.useFakeTimers({ toFake: ['Date'] })
  write('token', 'first\n')
  const client = await connect()
  await client.list(configMaps)
  write('token', 'second\n')
  await client.list(configMaps)
  vi.setSystemTime(Date.now() + 61_000)
  await client.list(configMaps)
  expect(api.tokens()).toEqual(['first', 'first', 'second'])

  write('token', 'third\n')
  accepted.clear()
  accepted.add('third')
  await client.list(configMaps)
  expect(api.tokens().slice(3)).toEqual(['second', 'third'])
})

test('replaced client certificate files are used by the next request', async () => {
  const { api, connect, write } = await setUp({
    'client-certificate': 'client.crt',
    'client-key': 'client.key',
  })
  write('client.crt', firstClient.cert)
  write('client.key', firstClient.key)
  const client = await connect()
  await client.list(configMaps)
  await client.list(configMaps)
  write('client.crt', secondClient.cert)
  write('client.key', secondClient.key)
  await client.list(configMaps)
  expect(api.seen.map(({ client }) => client)).toEqual(['first', 'first', 'second'])
})

test('a client certificate of an exec plugin is used', async () => {
  const { api, connect, script, write } = await setUp({ exec })
  const status = {
    clientCertificateData: secondClient.cert,
    clientKeyData: secondClient.key,
  }
  write('credential', JSON.stringify({ status }))
  script('plugin', ['cat credential'])
  await (await connect()).list(configMaps)
  expect(api.seen).toEqual([{ authorization: undefined, client: 'second' }])
})
