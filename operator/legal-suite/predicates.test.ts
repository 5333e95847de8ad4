import { describe, expect, test } from 'vitest'
import { desired } from '../desired/index.ts'
import { find } from '../testing/queries.ts'
import { suiteOf } from '../testing/suites.ts'
import { childStateChanged, suiteSpecChanged } from './predicates.ts'

const base = find(desired(suiteOf()), 'Deployment', 'demo-memory')
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
const updated = (before: object, object: object) => ({ type: 'updated', before, object }) as never

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
    expect(childStateChanged(updated(before, after))).toBe(expected)
  })

  test('objects without generation, additions and deletions always trigger a reconcile', () => {
    const account = find(desired(suiteOf()), 'ServiceAccount', 'demo-memory')
    expect(childStateChanged(updated(account, account))).toBe(true)
    expect(childStateChanged({ type: 'deleted', object: base })).toBe(true)
    expect(childStateChanged({ type: 'resync', object: base })).toBe(true)
  })
})

test('a suite is reconciled for spec changes, not for status changes', () => {
  const suite = suiteOf()
  expect(suiteSpecChanged(updated(suite, { ...suite, status: { phase: 'Ready' } }))).toBe(false)
  expect(suiteSpecChanged(updated(suite, suiteOf({}, { generation: 2 })))).toBe(true)
  expect(suiteSpecChanged(updated(suite, suiteOf({}, { annotations: { a: 'b' } })))).toBe(true)
})
