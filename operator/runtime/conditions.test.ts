import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Condition, withCondition, withHistory, withReadyState } from './conditions.ts'

const at = (generation: number, second: number) => ({ generation, now: new Date(second * 1000) })

const Step = fc.record({
  type: fc.constantFrom('Ready', 'Seeded', 'Migrated'),
  status: fc.constantFrom<Condition['status']>('True', 'False', 'Unknown'),
  reason: fc.constantFrom('Done', 'Waiting'),
  message: fc.string(),
})

test('each type has one condition whose time is that of its last status change', () => {
  fc.assert(
    fc.property(fc.array(Step), (steps) => {
      let conditions: Condition[] = []
      const changed = new Map<string, { status: string; second: number }>()
      steps.forEach((step, second) => {
        const before = JSON.stringify(conditions)
        const next = withCondition(conditions, step, at(second, second))
        expect(JSON.stringify(conditions)).toBe(before)
        conditions = next
        if (changed.get(step.type)?.status !== step.status)
          changed.set(step.type, { status: step.status, second })
        const now = conditions.filter(({ type }) => type === step.type)
        expect(now).toEqual([expect.objectContaining({ ...step, observedGeneration: second })])
      })
      expect(conditions).toHaveLength(changed.size)
      for (const { type, lastTransitionTime } of conditions) {
        expect(Date.parse(lastTransitionTime)).toBe(changed.get(type)!.second * 1000)
      }
    }),
  )
})

test('setting an equal condition changes nothing', () => {
  fc.assert(
    fc.property(fc.array(Step, { minLength: 1 }), (steps) => {
      const conditions = steps.reduce<Condition[]>(
        (all, step) => withCondition(all, step, at(1, 1)),
        [],
      )
      expect(withCondition(conditions, steps.at(-1)!, at(1, 99))).toEqual(conditions)
    }),
  )
})

test('Reconciling and Stalled exist only while they are true', () => {
  const types = (conditions: Condition[]) =>
    conditions.map(({ type, status }) => `${type}=${status}`)
  const begun = withReadyState(
    [],
    { state: 'reconciling', reason: 'RollingOut', message: '3 of 8' },
    at(1, 1),
  )
  expect(types(begun)).toEqual(['Ready=False', 'Reconciling=True'])
  const stalled = withReadyState(
    begun,
    { state: 'stalled', reason: 'BadVersion', message: 'no such image' },
    at(1, 2),
  )
  expect(types(stalled)).toEqual(['Ready=False', 'Stalled=True'])
  const ready = withReadyState(stalled, { state: 'ready', reason: 'Ready', message: '' }, at(2, 3))
  expect(ready).toEqual([
    {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '',
      observedGeneration: 2,
      lastTransitionTime: '1970-01-01T00:00:03Z',
    },
  ])
})

test('a long message is truncated', () => {
  const [condition] = withCondition(
    [],
    { type: 'Ready', status: 'False', reason: 'Long', message: 'x'.repeat(5_000) },
    at(1, 1),
  )
  expect(condition!.message).toHaveLength(1024)
})

test('history is bounded, newest first, without consecutive duplicates', () => {
  type Entry = { time: string; message: number }
  fc.assert(
    fc.property(fc.array(fc.nat(3)), (says) => {
      let history: Entry[] = []
      says.forEach((message, index) => {
        history = withHistory(history, { time: `${index}`, message }, 5)
        expect(history[0]!.message).toBe(message)
      })
      const distinct = says.filter((message, index) => message !== says[index - 1])
      expect(history.map(({ message }) => message)).toEqual(distinct.reverse().slice(0, 5))
    }),
  )
})
