import { expect, test } from 'vitest'
import { findKeyMount } from '../desired/internal-key.ts'
import {
  eventually,
  names,
  type Staged,
  settleDelay,
  startReadySuite,
  waitUntilReady,
} from '../testing/fixtures.ts'

type Keys = { sends: string; accepts: Set<string> }

/** The keys of a pod with this template. */
function readKeys(at: Staged, deployment: any): Keys {
  const { current, accepted } = findKeyMount(deployment)!
  const read = (name: string, entry: string) =>
    atob(at.get('Secret', name)?.data?.[entry] ?? '').trim()
  const second = accepted ? read(accepted, 'current') : read(current, 'accepted')
  return { sends: read(current, 'current'), accepts: new Set([read(current, 'current'), second]) }
}

/**
 * Rolls out service by service and checks after each write that every running pod accepts the key that any other
 * running pod sends. During the rollout of a Deployment pods of both templates run.
 */
async function watchSwitch(at: Staged, until: () => boolean) {
  const running = new Map<string, any[]>()
  const steps = new Set<string>()
  const rejections = new Set<string>()
  function track(deployment: any) {
    const { name, generation } = deployment.metadata
    const template = JSON.stringify(findKeyMount(deployment))
    const isUpdated = deployment.status?.observedGeneration === generation
    const others = (running.get(name) ?? []).filter(
      (each) => JSON.stringify(findKeyMount(each)) !== template,
    )
    running.set(name, isUpdated ? [deployment] : [...others, deployment])
    steps.add(template)
  }
  function check() {
    const keys = [...running.values()].flat().map((each) => readKeys(at, each))
    for (const { sends } of keys)
      for (const { accepts } of keys)
        if (!accepts.has(sends)) rejections.add(`${[...accepts]} reject ${sends}`)
  }
  for (const deployment of at.list('Deployment')) track(deployment)
  const unsubscribe = at.api.store.subscribe(({ collection, after }) => {
    if (collection !== 'apps/deployments' || !after) return
    track(after)
    check()
  })
  await eventually(async () => {
    await at.settle()
    expect(until()).toBe(true)
  })
  unsubscribe()
  expect([...rejections]).toEqual([])
  return [...steps]
}

const mounts = (at: Staged) =>
  new Set(at.list('Deployment').map((each) => JSON.stringify(findKeyMount(each))))
const only = (at: Staged, name: string) =>
  at.ready()?.status === 'True' &&
  mounts(at).size === 1 &&
  mounts(at).has(JSON.stringify({ current: name }))

const key = (name: string) => ({ current: `${name}-key-with-some-length`, accepted: '' })

test('a switch of the key Secret never makes a service reject the key of another', async () => {
  const at = await startReadySuite()
  const { id } = at.get('LegalSuite', 'demo').status.internalKey
  await at.secret('next', key('next'))
  await at.patch('LegalSuite', 'demo', { spec: { internalKey: { secretName: 'next' } } })
  const steps = await watchSwitch(at, () => only(at, 'next'))
  expect(steps).toEqual([
    '{"current":"demo-internal-key"}',
    '{"current":"demo-internal-key","accepted":"next"}',
    '{"current":"next","accepted":"demo-internal-key"}',
    '{"current":"next"}',
  ])
  await eventually(() => expect(names(at, 'Secret')).not.toContain('demo-internal-key'))
  const { internalKey } = at.get('LegalSuite', 'demo').status
  expect(internalKey.secretName).toBe('next')
  expect(internalKey.id).not.toBe(id)
})

test('each service is rolled out three times, however long its pods take to start', async () => {
  const at = await startReadySuite()
  const generations = () => at.list('Deployment').map(({ metadata }) => metadata.generation)
  const before = generations()
  await at.secret('next', key('next'))
  await at.patch('LegalSuite', 'demo', { spec: { internalKey: { secretName: 'next' } } })
  await eventually(async () => {
    // Several reconciles happen before the next pods are ready.
    for (const value of ['one', 'two']) {
      await at.patch('LegalSuite', 'demo', { metadata: { annotations: { value } } })
      await new Promise((resolve) => setTimeout(resolve, 80))
    }
    await at.settle()
    expect(only(at, 'next')).toBe(true)
  })
  expect(generations()).toEqual(before.map((generation) => generation + 3))
})

test('a second switch during the first one, and a revert, stay free of rejections', async () => {
  const at = await startReadySuite({ internalKey: { secretName: 'first' } } as never, {
    secrets: { first: key('first') },
  })
  await at.secret('second', key('second'))
  await at.secret('third', key('third'))
  const choose = (secretName: string) =>
    at.patch('LegalSuite', 'demo', { spec: { internalKey: { secretName } } })
  await choose('second')
  await watchSwitch(at, () =>
    [...mounts(at)].some((each) => each.startsWith('{"current":"second"')),
  )
  await choose('third')
  await watchSwitch(at, () => [...mounts(at)].some((each) => each.includes('third')))
  await choose('second')
  await watchSwitch(at, () => only(at, 'second'))
})

test('a missing next Secret keeps the services on the old one', async () => {
  const at = await startReadySuite()
  await at.patch('LegalSuite', 'demo', { spec: { internalKey: { secretName: 'absent' } } })
  await eventually(() => expect(at.ready()).toMatchObject({ reason: 'SecretNotFound' }))
  await settleDelay()
  expect([...mounts(at)]).toEqual(['{"current":"demo-internal-key"}'])
  expect(names(at, 'Secret')).toContain('demo-internal-key')
})

test('a deleted old Secret does not block the switch', async () => {
  const at = await startReadySuite({ internalKey: { secretName: 'first' } } as never, {
    secrets: { first: key('first') },
  })
  await at.secret('second', key('second'))
  await at.remove('Secret', 'first')
  await at.patch('LegalSuite', 'demo', { spec: { internalKey: { secretName: 'second' } } })
  await waitUntilReady(at)
  await eventually(() => expect(only(at, 'second')).toBe(true))
})

test('an old Secret that is deleted when the status names the next one does not block', async () => {
  const at = await startReadySuite({ internalKey: { secretName: 'first' } } as never, {
    secrets: { first: key('first') },
  })
  await at.secret('second', key('second'))
  await at.patch('LegalSuite', 'demo', { spec: { internalKey: { secretName: 'second' } } })
  await eventually(async () => {
    await at.settle()
    expect(at.get('LegalSuite', 'demo').status.internalKey.secretName).toBe('second')
  })
  await at.remove('Secret', 'first')
  await eventually(async () => {
    await at.settle()
    expect(only(at, 'second')).toBe(true)
  })
})

test('an old Secret that is deleted while the next one is promoted does not block', async () => {
  const at = await startReadySuite({ internalKey: { secretName: 'first' } } as never, {
    secrets: { first: key('first') },
  })
  await at.secret('second', key('second'))
  await at.patch('LegalSuite', 'demo', { spec: { internalKey: { secretName: 'second' } } })
  await eventually(async () => {
    await at.settle()
    expect([...mounts(at)].some((each) => each.startsWith('{"current":"second"'))).toBe(true)
  })
  await at.remove('Secret', 'first')
  await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
  await eventually(async () => {
    await at.settle()
    expect(only(at, 'second')).toBe(true)
  })
})

test('a lost generated key is not replaced in one step and ends with another Secret', async () => {
  const at = await startReadySuite()
  await at.remove('Secret', 'demo-internal-key')
  await eventually(() =>
    expect(at.ready()).toMatchObject({ status: 'False', reason: 'InternalKeyLost' }),
  )
  await settleDelay()
  expect(names(at, 'Secret')).not.toContain('demo-internal-key')
  await at.secret('next', key('next'))
  await at.patch('LegalSuite', 'demo', { spec: { internalKey: { secretName: 'next' } } })
  await eventually(async () => {
    await at.settle()
    expect(only(at, 'next')).toBe(true)
  })
})

test('the generated key Secret is immutable, so it cannot be changed in one step', async () => {
  const at = await startReadySuite()
  expect(at.get('Secret', 'demo-internal-key').immutable).toBe(true)
})

test.each([
  ['in one step is reported', '', 1],
  ['while the old one is accepted is silent', 'first-key-with-some-length', 0],
])('a key that is replaced in place %s', async (_, accepted, count) => {
  const at = await startReadySuite({ internalKey: { secretName: 'first' } } as never, {
    secrets: { first: key('first') },
  })
  const { id } = at.get('LegalSuite', 'demo').status.internalKey
  const data = { current: btoa('second-key-with-some-length'), accepted: btoa(accepted) }
  await at.patch('Secret', 'first', { data })
  await at.patch('LegalSuite', 'demo', { metadata: { annotations: { touched: 'yes' } } })
  await eventually(() => expect(at.get('LegalSuite', 'demo').status.internalKey.id).not.toBe(id))
  // Events are written in the background. The later one shows that the earlier one would be there.
  await at.patch('LegalSuite', 'demo', { spec: { paused: true } })
  await eventually(async () => {
    const reasons = (await at.events()).map(({ reason }) => reason)
    expect(reasons).toContain('Paused')
    expect(reasons.filter((reason) => reason === 'InternalKeyReplaced')).toHaveLength(count)
  })
})
