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

test.each(pairs)('%s → %s is as the contract says', (from, to) => {
  const expected = from === to || legal.includes(`${from} → ${to}`)
  expect(canMove(from, to)).toBe(expected)
  if (expected) expect(transition(from, to)).toBe(to)
  else expect(() => transition(from, to)).toThrow(`A matter that is ${from} can't become ${to}.`)
})

test.each(pairs)('a sync that activates nothing moves %s → %s as anybody does', (from, to) => {
  const by = (how: () => Status) => {
    try {
      return how()
    } catch (thrown) {
      return String(thrown)
    }
  }
  expect(by(() => transitionBySync(from, to, false))).toBe(by(() => transition(from, to)))
})

test('a sync that activates moves a draft, and nothing else', () => {
  for (const from of Status.options) {
    expect(transitionBySync(from, undefined, true)).toBe(from === 'DRAFT' ? 'ACTIVE' : from)
    expect(transitionBySync(from, undefined, false)).toBe(from)
  }
})

test('a draft that is activated by the same sync takes the status told from there', () => {
  expect(transitionBySync('DRAFT', 'DRAFT', true)).toBe('ACTIVE')
  expect(transitionBySync('DRAFT', 'CANCELLED', true)).toBe('CANCELLED')
  expect(transitionBySync('DRAFT', 'COMPLETED', true)).toBe('COMPLETED')
  expect(() => transitionBySync('DRAFT', 'ARCHIVED', true)).toThrow('ARCHIVED')
  expect(() => transitionBySync('DRAFT', 'COMPLETED', false)).toThrow('COMPLETED')
})
