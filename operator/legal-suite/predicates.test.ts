import { describe, expect, test } from 'vitest'
import { desired } from '../desired/index.ts'
import { find } from '../testing/queries.ts'
import { buildSuite } from '../testing/suites.ts'
import { childStateChanged, suiteSpecChanged } from './predicates.ts'

const base = find(desired(buildSuite()), 'Deployment', 'demo-memory')
const deployment = (metadata: object, status: object = {}) => ({
  ...base,
  metadata: { ...base.metadata, generation: 1, ...metadata },
  status: {
    observedGeneration: 1,
    replicas: 1,
    updatedReplicas: 1,
    availableReplicas: 1,
    ...status,
  },
})
const updateEvent = (before: object, object: object) =>
  ({ type: 'updated', before, object }) as never

describe('childStateChanged', () => {
  test.each([
    ['generation changed', deployment({}), deployment({ generation: 2 }), true],
    ['label removed', deployment({}), deployment({ labels: {} }), true],
    ['annotation added', deployment({}), deployment({ annotations: { a: 'b' } }), true],
    ['it is being deleted', deployment({}), deployment({ deletionTimestamp: 'now' }), true],
    ['a pod is lost', deployment({}), deployment({}, { availableReplicas: 0 }), true],
    ['its status says more of the same', deployment({}), deployment({}, { conditions: [] }), false],
    [
      'its controller counts',
      deployment({ annotations: {} }),
      deployment({ annotations: { 'deployment.kubernetes.io/revision': '2' } }),
      false,
    ],
  ])('%s', (_, before, after, expected) => {
    expect(childStateChanged(updateEvent(before, after))).toBe(expected)
  })

  test('objects without generation, additions and deletions always trigger a reconcile', () => {
    const account = find(desired(buildSuite()), 'ServiceAccount', 'demo-memory')
    expect(childStateChanged(updateEvent(account, account))).toBe(true)
    expect(childStateChanged({ type: 'deleted', object: base })).toBe(true)
    expect(childStateChanged({ type: 'resync', object: base })).toBe(true)
  })
})

test('a suite is reconciled for spec changes, not for status changes', () => {
  const suite = buildSuite()
  expect(suiteSpecChanged(updateEvent(suite, { ...suite, status: { phase: 'Ready' } }))).toBe(false)
  expect(suiteSpecChanged(updateEvent(suite, buildSuite({}, { generation: 2 })))).toBe(true)
  expect(suiteSpecChanged(updateEvent(suite, buildSuite({}, { annotations: { a: 'b' } })))).toBe(
    true,
  )
})
