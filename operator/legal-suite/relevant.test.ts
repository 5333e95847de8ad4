import { describe, expect, test } from 'vitest'
import { desired } from '../desired/index.ts'
import { find } from '../testing/look.ts'
import { suiteOf } from '../testing/suites.ts'
import { isAsked, matters } from './relevant.ts'

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

describe('a change of an object', () => {
  test.each([
    ['it is another', deployment({}), deployment({ generation: 2 }), true],
    ['a label is gone', deployment({}), deployment({ labels: {} }), true],
    ['an annotation is new', deployment({}), deployment({ annotations: { a: 'b' } }), true],
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
    expect(matters(updated(before, after))).toBe(expected)
  })

  test('one that has no generation matters in any case, and so do comings and goings', () => {
    const account = find(desired(suiteOf()), 'ServiceAccount', 'demo-memory')
    expect(matters(updated(account, account))).toBe(true)
    expect(matters({ type: 'deleted', object: base })).toBe(true)
    expect(matters({ type: 'resync', object: base })).toBe(true)
  })
})

test('a suite is looked at again for what it asks, not for what is said of it', () => {
  const suite = suiteOf()
  expect(isAsked(updated(suite, { ...suite, status: { phase: 'Ready' } }))).toBe(false)
  expect(isAsked(updated(suite, suiteOf({}, { generation: 2 })))).toBe(true)
  expect(isAsked(updated(suite, suiteOf({}, { annotations: { a: 'b' } })))).toBe(true)
})
