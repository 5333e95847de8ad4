import { expect, test } from 'vitest'
import type { KubeObject } from './objects.ts'
import { appliedAnnotation, hashOf, isApplied, isCovered } from './owned.ts'

/** As a Kubernetes 1.36 API server wrote them for a Deployment. */
const fields = {
  'f:containers': {
    'k:{"name":"main"}': {
      '.': {},
      'f:args': {},
      'f:env': {
        'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} },
        'k:{"name":"B"}': { '.': {}, 'f:name': {}, 'f:valueFrom': { 'f:secretKeyRef': {} } },
      },
      'f:name': {},
      'f:ports': {
        'k:{"containerPort":8080,"protocol":"TCP"}': {
          '.': {},
          'f:containerPort': {},
          'f:name': {},
        },
      },
    },
  },
  'f:nodeSelector': {},
  'f:volumes': { 'k:{"name":"tmp"}': { '.': {}, 'f:emptyDir': {}, 'f:name': {} } },
}

const main = {
  name: 'main',
  args: ['--a', '--b'],
  env: [
    { name: 'A', value: '' },
    { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
  ],
  ports: [{ name: 'http', containerPort: 8080 }],
}
const pod = {
  containers: [main],
  nodeSelector: {},
  volumes: [{ name: 'tmp', emptyDir: {} }],
  imagePullSecrets: [],
}

test('all that is wanted is among the fields', () => {
  expect(isCovered(fields, pod)).toBe(true)
})

test.each([
  ['a field', { ...pod, hostNetwork: false }],
  ['a field of an item', { ...pod, containers: [{ ...main, image: 'x' }] }],
  ['an item', { ...pod, containers: [{ ...main, env: [...main.env, { name: 'C', value: '1' }] }] }],
  [
    'an item with another key',
    { ...pod, containers: [{ ...main, ports: [{ name: 'http', containerPort: 8081 }] }] },
  ],
  [
    'an item with a key that is not the default',
    { ...pod, containers: [{ ...main, ports: [{ containerPort: 8080, protocol: 'UDP' }] }] },
  ],
])('%s that somebody took is missed', (_, wanted) => {
  expect(isCovered(fields, wanted)).toBe(false)
})

test('an item of which others took all but its key is missed, one that is owned as a whole is not', () => {
  const left = { 'f:env': { 'k:{"name":"A"}': { '.': {}, 'f:name': {} } } }
  expect(isCovered(left, { env: [{ name: 'A', value: '1' }] })).toBe(false)
  expect(isCovered(left, { env: [{ name: 'A' }] })).toBe(true)
  const references = { 'f:ownerReferences': { 'k:{"uid":"u"}': {} } }
  expect(isCovered(references, { ownerReferences: [{ uid: 'u', kind: 'LegalSuite' }] })).toBe(true)
  expect(isCovered(references, { ownerReferences: [{ uid: 'v', kind: 'LegalSuite' }] })).toBe(false)
})

test('values of a set are told apart', () => {
  const set = { 'f:finalizers': { 'v:"a"': {}, 'v:"b"': {} } }
  expect(isCovered(set, { finalizers: ['a', 'b'] })).toBe(true)
  expect(isCovered(set, { finalizers: ['a', 'c'] })).toBe(false)
})

test('the hash does not depend on the order of members, and depends on all else', () => {
  const object = (data: object): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data,
  })
  expect(hashOf(object({ a: '1', b: '2' }))).toBe(hashOf(object({ b: '2', a: '1' })))
  expect(hashOf(object({ a: '1', b: ['x', 'y'] }))).not.toBe(
    hashOf(object({ a: '1', b: ['y', 'x'] })),
  )
})

test('what another manager or another version applied, or applied with other content, is not applied', () => {
  const wanted: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', annotations: { [appliedAnnotation]: 'h' } },
  }
  const entry = {
    manager: 'us',
    operation: 'Apply' as const,
    apiVersion: 'v1',
    fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${appliedAnnotation}`]: {} } } },
  }
  const live = (changed: object, mark = 'h'): KubeObject => ({
    ...wanted,
    metadata: {
      name: 'a',
      annotations: { [appliedAnnotation]: mark },
      managedFields: [{ ...entry, ...changed }],
    },
  })
  expect(isApplied(live({}), wanted, 'us')).toBe(true)
  expect(isApplied(live({}, 'other'), wanted, 'us')).toBe(false)
  for (const changed of [
    { manager: 'them' },
    { operation: 'Update' },
    { apiVersion: 'v2' },
    { subresource: 'status' },
  ]) {
    expect(isApplied(live(changed), wanted, 'us')).toBe(false)
  }
  expect(isApplied({ ...wanted }, wanted, 'us')).toBe(false)
})
