import { expect, test } from 'vitest'
import {
  eventually,
  names,
  type Staged,
  settleDelay,
  startOperator,
  waitUntilReady,
} from '../testing/fixtures.ts'

const edit = (at: Staged, spec: object) => at.patch('LegalSuite', 'demo', { spec })
const listRetained = (at: Staged): string[] =>
  (at.get('LegalSuite', 'demo').status.retained ?? []).map(
    ({ kind, name }: any) => `${kind} ${name}`,
  )
const s3 = {
  type: 'S3',
  s3: { bucket: 'b', credentialsSecretRef: { name: 's3' } },
}
const external = { type: 'External', external: { secretRef: { name: 'db', key: 'url' } } }
const cnpg = { type: 'CloudNativePG', cloudNativePG: { storage: { size: '1Gi' } } }

test('a foreign volume is neither retained nor owned when the spec stops to name it', async () => {
  const at = startOperator()
  await at.secret('db', { url: 'postgres://x' })
  await at.secret('s3', { 'access-key-id': 'a', 'secret-access-key': 'b' })
  const metadata = { name: 'demo-files', namespace: 'legal' }
  await at.create({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata })
  await at.suite({ deletionPolicy: 'Delete' })
  await eventually(() => expect(at.ready()).toMatchObject({ reason: 'ForeignObject' }))
  await edit(at, { objectStorage: s3 })
  await waitUntilReady(at)
  await settleDelay()
  const volume = at.get('PersistentVolumeClaim', 'demo-files')
  expect(volume.metadata.ownerReferences ?? []).toEqual([])
  expect(listRetained(at)).toEqual([])
})

test('a Cluster that an edit makes obsolete while its API is absent is retained later', async () => {
  const served: Record<string, string[]> = { 'postgresql.cnpg.io': ['clusters'] }
  const first = startOperator({ served })
  await first.secret('db', { url: 'postgres://x' })
  await first.secret('demo-pg-app', { uri: 'postgres://y' })
  await first.suite({ database: cnpg as never })
  await eventually(() => expect(names(first, 'Cluster')).toEqual(['demo-pg']))
  await first.patch('Cluster', 'demo-pg', { status: { readyInstances: 1 } }, 'status')
  await first.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
  await waitUntilReady(first)
  await first.stop()
  // The next operator starts while discovery does not list the API.
  delete served['postgresql.cnpg.io']
  const at = startOperator({ api: first.api, discoveryMaxAgeMs: 50 })
  await edit(at, { database: { ...external, cloudNativePG: null } })
  await waitUntilReady(at)
  await settleDelay()
  served['postgresql.cnpg.io'] = ['clusters']
  await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'again' } } })
  await eventually(() => expect(listRetained(at)).toEqual(['Cluster demo-pg']))
})

test('a removal that was requested while a volume was in use does not apply after an edit', async () => {
  const at = startOperator()
  await at.secret('db', { url: 'postgres://x' })
  await at.suite({ database: { type: 'Embedded' } })
  await waitUntilReady(at)
  const { uid } = at.get('PersistentVolumeClaim', 'demo-postgres').metadata
  const request = (value: string | null) =>
    at.patch('LegalSuite', 'demo', {
      metadata: { annotations: { 'legalsuite.dev/remove-retained': value } },
    })
  await request(uid)
  await settleDelay()
  await edit(at, { database: external })
  await waitUntilReady(at)
  await eventually(() => expect(listRetained(at)).toContain('PersistentVolumeClaim demo-postgres'))
  await settleDelay()
  expect(names(at, 'PersistentVolumeClaim')).toContain('demo-postgres')
  await request(null)
  await settleDelay()
  await request(uid)
  await eventually(() => expect(names(at, 'PersistentVolumeClaim')).toEqual(['demo-files']))
})
