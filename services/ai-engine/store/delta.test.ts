import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diff, patch } from './delta.ts'

const tree = fc.dictionary(
  fc.string({ maxLength: 4 }).filter((name) => name !== '__proto__'),
  fc.jsonValue({ maxDepth: 3, noUnicodeString: false }),
  { maxKeys: 6 },
)
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown

test('a delta on top of the old state is the new one, whatever they are', () => {
  fc.assert(
    fc.property(tree, tree, (before, after) => {
      const delta = plain(diff(before, after)) as ReturnType<typeof diff>
      expect(plain(patch(before, delta))).toEqual(plain(after))
    }),
  )
})

test('a member named __proto__ is a member like any other', () => {
  const odd = JSON.parse('{"a": {"__proto__": {}}}')
  expect(JSON.stringify(patch({ a: {} }, diff({ a: {} }, odd)))).toBe(JSON.stringify(odd))
  expect(JSON.stringify(patch(odd, diff(odd, { a: {} })))).toBe('{"a":{}}')
})

test('equal states have no difference', () => {
  fc.assert(
    fc.property(tree, (state) => {
      expect(diff(plain(state), plain(state))).toEqual([])
    }),
  )
})

test('a list that grew is told by what was added', () => {
  const before = { messages: [{ content: 'a' }], other: 1 }
  const after = { ...before, messages: [...before.messages, { content: 'b' }] }
  expect(diff(before, after)).toEqual([['add', ['messages'], [{ content: 'b' }]]])
})

test('what a delta leaves alone is the same object afterwards', () => {
  const before = { large: { kept: true }, small: { n: 1 } }
  const after = patch(before, [['set', ['small', 'n'], 2]])
  expect(after.large).toBe(before.large)
  expect(after).toEqual({ large: { kept: true }, small: { n: 2 } })
})
