import { expect, test } from 'vitest'
import { appliedAnnotation, contentHash, isUpToDate, ownsAllFields } from './applied-hash.ts'
import type { KubeObject } from './objects.ts'

/** Managed fields that a Kubernetes 1.36 API server wrote for a Deployment. */
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

test('all desired fields are owned', () => {
  expect(ownsAllFields(fields, pod)).toBe(true)
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
])('%s owned by another manager is reported as not owned', (_, desired) => {
  expect(ownsAllFields(fields, desired)).toBe(false)
})

test('an item whose fields others own is not owned; an item owned as a whole is', () => {
  const left = { 'f:env': { 'k:{"name":"A"}': { '.': {}, 'f:name': {} } } }
  expect(ownsAllFields(left, { env: [{ name: 'A', value: '1' }] })).toBe(false)
  expect(ownsAllFields(left, { env: [{ name: 'A' }] })).toBe(true)
  const references = { 'f:ownerReferences': { 'k:{"uid":"u"}': {} } }
  expect(ownsAllFields(references, { ownerReferences: [{ uid: 'u', kind: 'LegalSuite' }] })).toBe(
    true,
  )
  expect(ownsAllFields(references, { ownerReferences: [{ uid: 'v', kind: 'LegalSuite' }] })).toBe(
    false,
  )
})

test('set values are matched individually', () => {
  const set = { 'f:finalizers': { 'v:"a"': {}, 'v:"b"': {} } }
  expect(ownsAllFields(set, { finalizers: ['a', 'b'] })).toBe(true)
  expect(ownsAllFields(set, { finalizers: ['a', 'c'] })).toBe(false)
})

test('the hash ignores key order and depends on everything else', () => {
  const object = (data: object): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data,
  })
  expect(contentHash(object({ a: '1', b: '2' }))).toBe(contentHash(object({ b: '2', a: '1' })))
  expect(contentHash(object({ a: '1', b: ['x', 'y'] }))).not.toBe(
    contentHash(object({ a: '1', b: ['y', 'x'] })),
  )
})

test('an object applied by another manager, version or content is not up to date', () => {
  const desired: KubeObject = {
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
  const live = (changed: object, hash = 'h'): KubeObject => ({
    ...desired,
    metadata: {
      name: 'a',
      annotations: { [appliedAnnotation]: hash },
      managedFields: [{ ...entry, ...changed }],
    },
  })
  expect(isUpToDate(live({}), desired, 'us')).toBe(true)
  expect(isUpToDate(live({}, 'other'), desired, 'us')).toBe(false)
  for (const changed of [
    { manager: 'them' },
    { operation: 'Update' },
    { apiVersion: 'v2' },
    { subresource: 'status' },
  ]) {
    expect(isUpToDate(live(changed), desired, 'us')).toBe(false)
  }
  expect(isUpToDate({ ...desired }, desired, 'us')).toBe(false)
})
