import { expect, test } from 'vitest'
import {
  type ApplyOptions,
  adoptAnnotation,
  applySet,
  inventoryDuringApply,
  type Owner,
} from './apply.ts'
import { makeClient } from './client.ts'
import { idText, toObjectId } from './inventory.ts'
import type { KubeObject } from './objects.ts'
import { makeFakeApi } from './testing/fake-api.ts'
import { configMap, configMaps } from './testing/informer-fixture.ts'

const reference = {
  apiVersion: 'legalsuite.dev/v1alpha1',
  kind: 'LegalSuite',
  name: 's',
  uid: 's-1',
  controller: true,
}
const owner: Owner = { labels: { suite: 's' }, reference }
const place = (name: string) => ({ collection: '/configmaps', namespace: 'ns', name })

function setUp() {
  const api = makeFakeApi()
  const client = makeClient({ transport: api.transport, maxAttempts: 1 })
  const live = ({ name }: { name: string }) => api.store.get(place(name))
  const apply = (objects: KubeObject[], more: Partial<ApplyOptions> = {}) =>
    applySet(objects, { client, owner, live, inventory: [], ...more })
  const actions = async (objects: KubeObject[], more: Partial<ApplyOptions> = {}) =>
    Object.fromEntries(
      (await apply(objects, more)).outcomes.map(({ id, action }) => [id.name, action]),
    )
  const names = () => api.store.list('/configmaps').map(({ metadata }) => metadata.name)
  return { api, client, apply, actions, names }
}

test('created objects have the labels and the reference of their owner', async () => {
  const { api, apply } = setUp()
  const seen: string[] = []
  await apply([configMap('a')], { onWrite: ({ metadata }) => void seen.push(metadata.name) })
  expect(api.store.get(place('a'))?.metadata).toMatchObject({
    labels: { suite: 's' },
    ownerReferences: [reference],
  })
  expect(seen).toEqual(['a'])
})

test('retained objects have no owner reference', async () => {
  const { api, apply } = setUp()
  await apply([configMap('a')], { retain: () => true })
  expect(api.store.get(place('a'))?.metadata.ownerReferences).toBeUndefined()
})

test('a foreign object of the same name is a conflict unless it is annotated for adoption', async () => {
  const { api, actions } = setUp()
  const foreign = configMap('a', { theirs: '1' })
  api.store.put(place('a'), foreign)
  expect(await actions([configMap('a', { ours: '1' })])).toEqual({ a: 'conflict' })
  expect(api.store.get(place('a'))).toMatchObject({ data: { theirs: '1' } })
  expect(api.writes()).toBe(0)
  api.store.put(place('a'), {
    ...foreign,
    metadata: { ...foreign.metadata, annotations: { [adoptAnnotation]: 'true' } },
  })
  expect(await actions([configMap('a', { ours: '1' })])).toEqual({ a: 'configured' })
  expect(await actions([configMap('a', { ours: '1' })])).toEqual({ a: 'unchanged' })
})

test('an object with matching labels and another controller is foreign', async () => {
  const { api, apply } = setUp()
  const other = { ...reference, name: 'other', uid: 's-2' }
  api.store.put(place('a'), {
    ...configMap('a', {}, owner.labels),
    metadata: { ...configMap('a').metadata, labels: owner.labels, ownerReferences: [other] },
  })
  const { outcomes, inventory } = await apply([configMap('a')])
  expect(outcomes).toMatchObject([{ action: 'conflict', reason: 'owned by LegalSuite other' }])
  expect(inventory).toEqual([])
})

test('a removed label is restored, and the object is not pruned meanwhile', async () => {
  const { api, client, apply, actions, names } = setUp()
  const { inventory } = await apply([configMap('a')])
  await client.merge(
    configMaps,
    { namespace: 'ns', name: 'a' },
    { metadata: { labels: { suite: null } } },
  )
  expect(await actions([], { inventory })).toEqual({ a: 'unchanged' })
  expect(names()).toEqual(['a'])
  expect(await actions([configMap('a')], { live: () => undefined })).toEqual({ a: 'configured' })
  expect(api.store.get(place('a'))?.metadata.labels).toEqual({ suite: 's' })
  expect(await actions([], { inventory })).toEqual({ a: 'pruned' })
})

test('an object created concurrently is not adopted', async () => {
  const { api, actions } = setUp()
  api.faults.push(({ verb }) => {
    if (verb === 'patch' && !api.store.get(place('a'))) api.store.put(place('a'), foreign)
    return undefined
  })
  const foreign = {
    ...configMap('a', { n: 'theirs' }),
    metadata: { ...configMap('a').metadata, managedFields: [owning('f:n')] },
  }
  expect(await actions([configMap('a', { n: 'ours' })])).toEqual({ a: 'conflict' })
  expect(api.store.get(place('a'))).toMatchObject({ data: { n: 'theirs' } })
})

const owning = (field: string) => ({
  manager: 'someone',
  operation: 'Update' as const,
  apiVersion: 'v1',
  fieldsV1: { 'f:data': { [field]: {} } },
})

test('a stale cache never changes a successor of the same name', async () => {
  const { api, apply, actions } = setUp()
  await apply([configMap('a', { n: '1' })])
  const old = api.store.get(place('a'))!
  api.store.remove(place('a'))
  api.store.put(place('a'), configMap('a', { theirs: '1' }))
  expect(await actions([configMap('a', { n: '2' })], { live: () => old })).toEqual({
    a: 'conflict',
  })
  api.store.remove(place('a'))
  expect(await actions([configMap('a', { n: '2' })], { live: () => old })).toEqual({ a: 'created' })
})

test('obsolete objects are pruned if they are owned and not retained', async () => {
  const { api, apply, actions, names } = setUp()
  const { inventory } = await apply(['a', 'b', 'c', 'd'].map((name) => configMap(name)))
  api.store.put(place('b'), {
    ...api.store.get(place('b'))!,
    metadata: { ...configMap('b').metadata },
  })
  const retain = ({ metadata }: KubeObject) => metadata.name === 'c'
  expect(await actions([configMap('d')], { inventory, retain: retain })).toEqual({
    a: 'pruned',
    b: 'unchanged',
    c: 'kept',
    d: 'unchanged',
  })
  expect(names()).toEqual(['b', 'c', 'd'])
})

test('a failed apply prunes nothing and keeps the inventory', async () => {
  const { api, apply, names } = setUp()
  const { inventory } = await apply([configMap('old')])
  api.faults.push(({ verb, name }) =>
    verb === 'patch' && name === 'new' ? { status: 422 } : undefined,
  )
  const { outcomes, inventory: next } = await apply([configMap('new')], { inventory })
  expect(outcomes.map(({ action }) => action)).toEqual(['failed'])
  expect(names()).toEqual(['old'])
  expect(next.map(({ name }) => name)).toEqual(['new', 'old'])
})

test('an object that is being deleted fails the apply', async () => {
  const { api, client, apply, actions } = setUp()
  await apply([configMap('a')])
  api.store.put(place('a'), {
    ...api.store.get(place('a'))!,
    metadata: { ...api.store.get(place('a'))!.metadata, finalizers: ['x'] },
  })
  await client.delete(configMaps, { namespace: 'ns', name: 'a' })
  expect(await actions([configMap('a', { n: '1' })])).toEqual({ a: 'failed' })
})

test('objects are created in dependency order and pruned in reverse', async () => {
  const { api, apply } = setUp()
  const kinds = ['Ingress', 'Deployment', 'Secret', 'ServiceAccount', 'Service']
  const apis: Record<string, string> = { Ingress: 'networking.k8s.io/v1', Deployment: 'apps/v1' }
  const objects = kinds.map((kind) => ({
    apiVersion: apis[kind] ?? 'v1',
    kind,
    metadata: { name: 'x', namespace: 'ns' },
  }))
  const { inventory } = await apply(objects, { live: () => undefined })
  const order = (verb: string) =>
    api.requests
      .filter((request) => request.verb === verb)
      .map(({ collection }) => collection.split('/')[1])
  const applyOrder = ['serviceaccounts', 'secrets', 'services', 'deployments', 'ingresses']
  expect(order('patch')).toEqual(applyOrder)
  await apply([], { inventory })
  expect(order('delete')).toEqual(applyOrder.toReversed())
})

test('after a crash the stored inventory finds created objects', async () => {
  const { api, client, apply, names } = setUp()
  const objects = ['a', 'b', 'c'].map((name) => configMap(name))
  const inventory = inventoryDuringApply([], objects)
  api.faults.push(({ verb, name }) =>
    verb === 'patch' && name === 'c' ? 'reset after' : undefined,
  )
  await apply(objects)
  expect(names()).toEqual(['a', 'b', 'c'])
  api.faults.length = 0
  await applySet([], { client, owner, live: () => undefined, inventory: inventory })
  expect(names()).toEqual([])
  expect(inventory.map(idText)).toEqual(objects.map((object) => idText(toObjectId(object))))
})
