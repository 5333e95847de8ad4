import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diff, patch } from './delta.ts'

const tree = fc.dictionary(
  fc.string({ maxLength: 4 }).filter((name) => name !== '__proto__'),
  fc.jsonValue({ maxDepth: 3, noUnicodeString: false }),
  { maxKeys: 6 },
)
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown

test('applying the delta of any two states to the old one gives the new one', () => {
  fc.assert(
    fc.property(tree, tree, (before, after) => {
      const delta = plain(diff(before, after)) as ReturnType<typeof diff>
      expect(plain(patch(before, delta))).toEqual(plain(after))
    }),
  )
})

test('a member named __proto__ is stored as an ordinary member', () => {
  const odd = JSON.parse('{"a": {"__proto__": {}}}')
  expect(JSON.stringify(patch({ a: {} }, diff({ a: {} }, odd)))).toBe(JSON.stringify(odd))
  expect(JSON.stringify(patch(odd, diff(odd, { a: {} })))).toBe('{"a":{}}')
})

test('equal states have an empty delta', () => {
  fc.assert(
    fc.property(tree, (state) => {
      expect(diff(plain(state), plain(state))).toEqual([])
    }),
  )
})

test('the delta of a list that grew contains only the added items', () => {
  const before = { messages: [{ content: 'a' }], other: 1 }
  const after = { ...before, messages: [...before.messages, { content: 'b' }] }
  expect(diff(before, after)).toEqual([['add', ['messages'], [{ content: 'b' }]]])
})

test('members that a delta does not change stay the same object', () => {
  const before = { large: { kept: true }, small: { n: 1 } }
  const after = patch(before, [['set', ['small', 'n'], 2]])
  expect(after.large).toBe(before.large)
  expect(after).toEqual({ large: { kept: true }, small: { n: 2 } })
})
