import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { kubeconfigAccess, loadAccess } from './access.ts'
import { makeConfigDirectory } from './testing/kubeconfig-files.ts'

afterEach(() => vi.unstubAllEnvs())

const base64 = (text: string) => Buffer.from(text).toString('base64')

test('a kubeconfig with inline or referenced certificates, tokens and namespace is read', async () => {
  const { kubeconfig, write } = makeConfigDirectory()
  write('client.key', 'a key')
  const access = await kubeconfigAccess(
    kubeconfig('config', {
      user: {
        'client-certificate-data': base64('a certificate'),
        'client-key': 'client.key',
        token: 'secret',
      },
      cluster: {
        'certificate-authority-data': base64('an authority'),
        'tls-server-name': 'api.test',
        'insecure-skip-tls-verify': true,
      },
      context: { namespace: 'legal' },
    }),
  )
  expect(access.server.href).toBe('https://10.0.0.1:6443/')
  expect(access.namespace).toBe('legal')
  const { headers, tls } = await access.credentials()
  expect(headers).toEqual({ authorization: 'Bearer secret' })
  expect([tls.ca, tls.cert, tls.key].map(String)).toEqual([
    'an authority',
    'a certificate',
    'a key',
  ])
  expect(tls).toMatchObject({ servername: 'api.test', rejectUnauthorized: false })
})

test('files of KUBECONFIG are merged: the first definition wins and missing files are skipped', async () => {
  const { kubeconfig, write, directory } = makeConfigDirectory()
  const first = write(
    'first',
    JSON.stringify({
      'current-context': 'here',
      contexts: [{ name: 'here', context: { cluster: 'here', user: 'admin', namespace: 'one' } }],
      users: [{ name: 'admin', user: { token: 'first' } }],
    }),
  )
  const second = kubeconfig('second', { user: { token: 'second' }, context: { namespace: 'two' } })
  const third = kubeconfig('third', { name: 'there', user: { token: 'third' } })
  const env = { KUBECONFIG: [first, join(directory, 'absent'), second, third].join(':') }

  const access = await loadAccess(env)
  expect(access).toMatchObject({ namespace: 'one', server: new URL('https://10.0.0.1:6443') })
  expect((await access.credentials()).headers.authorization).toBe('Bearer first')

  const there = await loadAccess(env, 'there')
  expect(there.namespace).toBe('default')
  expect((await there.credentials()).headers.authorization).toBe('Bearer third')
})

test('a context, cluster or user that does not exist is named in the error', async () => {
  const { kubeconfig, directory } = makeConfigDirectory()
  const path = kubeconfig('config', {})
  await expect(kubeconfigAccess(path, 'other')).rejects.toThrow('no context named "other"')
  const cluster = kubeconfig('cluster', { context: { cluster: 'gone' } })
  await expect(kubeconfigAccess(cluster)).rejects.toThrow('no cluster named "gone"')
  const user = kubeconfig('user', { context: { user: 'gone' } })
  await expect(kubeconfigAccess(user)).rejects.toThrow('no user named "gone"')
  await expect(loadAccess({ KUBECONFIG: join(directory, 'absent') })).rejects.toThrow(
    'kubeconfig not found',
  )
})

test('inside a pod the service account is used', async () => {
  const { directory } = makeConfigDirectory()
  const account = join(directory, 'var/run/secrets/kubernetes.io/serviceaccount')
  mkdirSync(account, { recursive: true })
  const files = { namespace: 'legal\n', 'ca.crt': 'an authority', token: 'pod token\n' }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(account, name), content)
  vi.stubEnv('KUBERNETES_SERVICE_HOST', 'fd00::1')
  vi.stubEnv('KUBERNETES_SERVICE_PORT', '6443')
  vi.stubEnv('KUBECONFIG', undefined)
  const access = await loadAccess(process.env, undefined, directory)
  expect(access).toMatchObject({ namespace: 'legal', server: new URL('https://[fd00::1]:6443') })
  const { headers, tls } = await access.credentials()
  expect(headers).toEqual({ authorization: 'Bearer pod token' })
  expect(String(tls.ca)).toBe('an authority')
})

test('outside of a cluster ~/.kube/config is read, and its absence is explained', async () => {
  const { directory, kubeconfig } = makeConfigDirectory()
  const env = { HOME: directory }
  await expect(loadAccess(env)).rejects.toThrow('set KUBECONFIG')
  mkdirSync(join(directory, '.kube'))
  kubeconfig('.kube/config', { context: { namespace: 'mine' } })
  await expect(loadAccess(env)).resolves.toMatchObject({ namespace: 'mine' })
})

test('a user name and password are sent as basic authentication', async () => {
  const { kubeconfig } = makeConfigDirectory()
  const user = { username: 'admin', password: 'secret' }
  const access = await kubeconfigAccess(kubeconfig('config', { user }))
  const { headers } = await access.credentials()
  expect(headers.authorization).toBe(`Basic ${base64('admin:secret')}`)
})
