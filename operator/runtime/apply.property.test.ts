import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ApplyOptions, applySet, type Owner } from './apply.ts'
import { makeClient } from './client.ts'
import { idText, type ObjectId, toObjectId } from './inventory.ts'
import type { KubeObject } from './objects.ts'
import { getResource } from './resources.ts'
import { makeFakeApi } from './testing/fake-api.ts'

const reference = {
  apiVersion: 'legalsuite.dev/v1alpha1',
  kind: 'LegalSuite',
  name: 's',
  uid: 's-1',
  controller: true,
}
const owner: Owner = {
  labels: { 'app.kubernetes.io/managed-by': 'us', 'legalsuite.dev/suite': 's' },
  reference,
}

const kinds = [
  ['v1', 'ConfigMap'],
  ['v1', 'Service'],
  ['apps/v1', 'Deployment'],
] as const

const collectionName = ({ group, version, kind }: ObjectId) =>
  `${group}/${getResource(group ? `${group}/${version}` : version, kind).plural}`

const DesiredObjects = fc.uniqueArray(
  fc.record({
    kind: fc.constantFrom(...kinds),
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    image: fc.constantFrom('x:1', 'x:2'),
    env: fc.subarray(['ONE', 'TWO', 'THREE']),
  }),
  { selector: ({ kind, name }) => `${kind[1]}/${name}`, maxLength: 8 },
)

type DesiredObjects = typeof DesiredObjects extends fc.Arbitrary<infer T> ? T : never

const buildObjects = (desired: DesiredObjects): KubeObject[] =>
  desired.map(({ kind: [apiVersion, kind], name, image, env }) => ({
    apiVersion,
    kind,
    metadata: { name, namespace: 'ns' },
    spec: { containers: [{ name: 'main', image, env: env.map((name) => ({ name, value: '1' })) }] },
  }))

function setUp() {
  const api = makeFakeApi()
  const client = makeClient({ transport: api.transport })
  const storePath = (id: ObjectId) => ({
    collection: collectionName(id),
    namespace: id.namespace,
    name: id.name,
  })
  const options = (inventory: ObjectId[]): ApplyOptions => ({
    client,
    owner,
    inventory,
    live: (id) => api.store.get(storePath(id)),
  })
  const all = () =>
    kinds.flatMap(([apiVersion, kind]) =>
      api.store.list(collectionName(toObjectId({ apiVersion, kind, metadata: { name: '' } }))),
    )
  return { api, client, options, all, placeOf: storePath }
}

const names = (ids: ObjectId[]) => ids.map(idText).sort()

test('for any previous set the desired set is reached, and a second apply writes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(DesiredObjects, { minLength: 1, maxLength: 4 }), async (rounds) => {
      const { api, options, all } = setUp()
      let inventory: ObjectId[] = []
      for (const desired of rounds) {
        const objects = buildObjects(desired)
        const applied = await applySet(objects, options(inventory))
        expect(applied.outcomes.filter(({ action }) => action === 'failed')).toEqual([])
        inventory = applied.inventory
        expect(names(inventory)).toEqual(names(objects.map(toObjectId)))
        expect(names(all().map(toObjectId))).toEqual(names(objects.map(toObjectId)))
        for (const object of objects) {
          const live = all().find(
            (other) => idText(toObjectId(other)) === idText(toObjectId(object)),
          )!
          expect(summarizeSpec(live)).toEqual(summarizeSpec(object))
        }
        const before = api.writes()
        const again = await applySet(objects, options(inventory))
        expect(api.writes()).toBe(before)
        expect(again.inventory).toEqual(inventory)
      }
    }),
    { numRuns: 100, seed: 1 },
  )
})

/** Sorts keyed lists, whose order is not significant. */
function summarizeSpec({ spec }: KubeObject) {
  const [{ image, env }] = (spec as Spec).containers
  return { image, env: env.map(({ name }) => name).sort() }
}

type Spec = { containers: [{ image: string; env: { name: string }[] }] }

/** Checks that all desired fields are set. Additional fields are allowed. */
function holds(live: KubeObject, desired: KubeObject) {
  const [is, expected] = [summarizeSpec(live), summarizeSpec(desired)]
  return is.image === expected.image && expected.env.every((name) => is.env.includes(name))
}

test('foreign objects are never changed, and drift of own objects is reverted', async () => {
  await fc.assert(
    fc.asyncProperty(
      DesiredObjects,
      DesiredObjects,
      DesiredObjects,
      async (foreignObjects, ownObjects, drifted) => {
        const { api, client, options, all, placeOf: storePath } = setUp()
        for (const object of buildObjects(foreignObjects))
          api.store.put(storePath(toObjectId(object)), object)
        const foreign = new Map(
          all().map((object) => [idText(toObjectId(object)), JSON.stringify(object)]),
        )
        const objects = buildObjects(ownObjects)
        const first = await applySet(objects, options([]))
        const conflicts = first.outcomes
          .filter(({ action }) => action === 'conflict')
          .map(({ id }) => id)
        expect(names(conflicts)).toEqual(
          names(objects.map(toObjectId).filter((id) => foreign.has(idText(id)))),
        )

        const ownIds = objects.map(toObjectId).filter((id) => !foreign.has(idText(id)))
        const changed = buildObjects(drifted).filter((object) =>
          names(ownIds).includes(idText(toObjectId(object))),
        )
        for (const object of changed) {
          const live = api.store.get(storePath(toObjectId(object)))!
          await client.replace(getResource(object.apiVersion, object.kind), {
            ...live,
            spec: object.spec,
          })
        }
        const desired = new Map(objects.map((object) => [idText(toObjectId(object)), object]))
        const off = ownIds.filter(
          (id) => !holds(api.store.get(storePath(id))!, desired.get(idText(id))!),
        )
        const second = await applySet(objects, options(first.inventory))
        const written = second.outcomes.filter(({ action }) => action === 'configured')
        expect(names(written.map(({ id }) => id))).toEqual(names(off))
        for (const id of ownIds)
          expect(holds(api.store.get(storePath(id))!, desired.get(idText(id))!)).toBe(true)
        await applySet([], options(second.inventory))
        for (const [id, text] of foreign)
          expect(
            all().map((object) => [idText(toObjectId(object)), JSON.stringify(object)]),
          ).toContainEqual([id, text])
      },
    ),
    { numRuns: 100, seed: 1 },
  )
})
