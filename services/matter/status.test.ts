import { expect, test } from 'vitest'
import { Status } from './matter.ts'
import { mayMove, move, moveBySync } from './status.ts'

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
  expect(mayMove(from, to)).toBe(expected)
  if (expected) expect(move(from, to)).toBe(to)
  else expect(() => move(from, to)).toThrow(`A matter that is ${from} can't become ${to}.`)
})

test.each(pairs)('a sync that activates nothing moves %s → %s as anybody does', (from, to) => {
  const by = (how: () => Status) => {
    try {
      return how()
    } catch (thrown) {
      return String(thrown)
    }
  }
  expect(by(() => moveBySync(from, to, false))).toBe(by(() => move(from, to)))
})

test('a sync that activates moves a draft, and nothing else', () => {
  for (const from of Status.options) {
    expect(moveBySync(from, undefined, true)).toBe(from === 'DRAFT' ? 'ACTIVE' : from)
    expect(moveBySync(from, undefined, false)).toBe(from)
  }
})

test('a draft that is activated by the same sync takes the status told from there', () => {
  expect(moveBySync('DRAFT', 'DRAFT', true)).toBe('ACTIVE')
  expect(moveBySync('DRAFT', 'CANCELLED', true)).toBe('CANCELLED')
  expect(moveBySync('DRAFT', 'COMPLETED', true)).toBe('COMPLETED')
  expect(() => moveBySync('DRAFT', 'ARCHIVED', true)).toThrow('ARCHIVED')
  expect(() => moveBySync('DRAFT', 'COMPLETED', false)).toThrow('COMPLETED')
})
