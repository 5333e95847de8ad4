import { expect, test } from 'vitest'
import { findKeyMount } from '../desired/internal-key.ts'
import {
  eventually,
  names,
  type Staged,
  settleDelay,
  startOperator,
  startReadySuite,
  waitUntilReady,
} from '../testing/fixtures.ts'
import { createPod } from '../testing/pods.ts'

const running = (name: string) => ({
  phase: 'Running',
  containerStatuses: [{ name, ready: true, state: { running: {} } }],
})
const edit = (at: Staged, spec: object) => at.patch('LegalSuite', 'demo', { spec })

async function startEmbedded() {
  const at = startOperator()
  await at.suite({ database: { type: 'Embedded' } })
  await waitUntilReady(at)
  return at
}

test('an obsolete database stays while a pod of an older template terminates', async () => {
  const at = await startEmbedded()
  const pod = await createPod(at, 'consultations', running('consultations'))
  await at.secret('db', { url: 'postgres://x' })
  const external = { secretRef: { name: 'db', key: 'url' } }
  await edit(at, { database: { type: 'External', external } })
  await waitUntilReady(at)
  await settleDelay()
  expect(names(at, 'StatefulSet')).toEqual(['demo-postgres'])
  expect(names(at, 'Service')).toContain('demo-postgres')
  await at.remove('Pod', pod.metadata.name)
  await eventually(() => expect(names(at, 'StatefulSet')).toEqual([]))
})

test('hibernation stops the database after the pods of the services are gone', async () => {
  const at = await startEmbedded()
  const pod = await createPod(at, 'consultations', running('consultations'))
  await edit(at, { hibernated: true })
  const replicas = (kind: string, name: string) => at.get(kind, name).spec.replicas
  await eventually(() => expect(replicas('Deployment', 'demo-consultations')).toBe(0))
  await at.settle(/consultations|files|memory/)
  await eventually(() => expect(at.ready()?.message).toBe('waiting for 1 pod to terminate'))
  expect(replicas('StatefulSet', 'demo-postgres')).toBe(1)
  await at.remove('Pod', pod.metadata.name)
  await eventually(() => expect(replicas('StatefulSet', 'demo-postgres')).toBe(0))
  await eventually(() => expect(at.ready()).toMatchObject({ reason: 'Hibernated' }))
})

test('the old key is accepted until the last pod that sends it is gone', async () => {
  const at = await startReadySuite()
  await at.secret('next', { current: 'next-key-with-some-length', accepted: '' })
  const pod = await createPod(at, 'consultations', running('consultations'))
  await edit(at, { internalKey: { secretName: 'next' } })
  const mount = () => JSON.stringify(findKeyMount(at.get('Deployment', 'demo-platform')))
  const staged = '{"current":"demo-internal-key","accepted":"next"}'
  await eventually(async () => {
    await at.settle()
    expect(mount()).toBe(staged)
    expect(at.ready()?.status).toBe('True')
  })
  await settleDelay()
  expect(mount()).toBe(staged)
  await at.remove('Pod', pod.metadata.name)
  await eventually(async () => {
    await at.settle()
    expect(mount()).toBe('{"current":"next"}')
  })
})
