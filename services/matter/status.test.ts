import { expect, test } from 'vitest'
import { Status } from './matter.ts'
import { canMove, transition, transitionBySync } from './status.ts'

const legal = [
  'DRAFT → ACTIVE',
  'DRAFT → CANCELLED',
  'ACTIVE → ON_HOLD',
  'ACTIVE → COMPLETED',
  'ACTIVE → CANCELLED',
  'ON_HOLD → ACTIVE',
  'ON_HOLD → CANCELLED',
  'COMPLETED → ARCHIVED',
]

const pairs = Status.options.flatMap((from) => Status.options.map((to) => [from, to] as const))

test.each(pairs)('transition %s → %s follows the contract', (from, to) => {
  const expected = from === to || legal.includes(`${from} → ${to}`)
  expect(canMove(from, to)).toBe(expected)
  if (expected) expect(transition(from, to)).toBe(to)
  else expect(() => transition(from, to)).toThrow(`Status ${from} cannot change to ${to}.`)
})

test.each(pairs)('a sync that does not activate handles %s → %s like POST /status', (from, to) => {
  const by = (how: () => Status) => {
    try {
      return how()
    } catch (thrown) {
      return String(thrown)
    }
  }
  expect(by(() => transitionBySync(from, to, false))).toBe(by(() => transition(from, to)))
})

test('an activating sync changes only a draft', () => {
  for (const from of Status.options) {
    expect(transitionBySync(from, undefined, true)).toBe(from === 'DRAFT' ? 'ACTIVE' : from)
    expect(transitionBySync(from, undefined, false)).toBe(from)
  }
})

test('an activating sync applies the requested status from ACTIVE', () => {
  expect(transitionBySync('DRAFT', 'DRAFT', true)).toBe('ACTIVE')
  expect(transitionBySync('DRAFT', 'CANCELLED', true)).toBe('CANCELLED')
  expect(transitionBySync('DRAFT', 'COMPLETED', true)).toBe('COMPLETED')
  expect(() => transitionBySync('DRAFT', 'ARCHIVED', true)).toThrow('ARCHIVED')
  expect(() => transitionBySync('DRAFT', 'COMPLETED', false)).toThrow('COMPLETED')
})
