import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeThinkingFilter } from './thinking.ts'

const filter = (pieces: string[]) => {
  const thinking = makeThinkingFilter()
  return pieces.map((piece) => thinking.take(piece)).join('') + thinking.rest()
}

test.each([
  [['<think>a</think>\n\nb'], 'b'],
  [['<thi', 'nk>a</th', 'ink>', 'b'], 'b'],
  [['\n<think>', 'a'], ''],
  [['a <think>b</think>'], 'a <think>b</think>'],
  [['<th'], '<th'],
  [['<b>x</b>'], '<b>x</b>'],
])('thinking is removed from %j', (pieces, text) => {
  expect(filter(pieces)).toBe(text)
})

test('the split of a response into pieces does not change its text', () => {
  const parts = fc.array(fc.constantFrom('<think>', '</think>', 'a', ' ', '<', 'th', '字'))
  fc.assert(
    fc.property(parts, fc.array(fc.nat(20)), (words, cuts) => {
      const text = words.join('')
      const pieces: string[] = []
      let rest = text
      for (const cut of cuts) {
        pieces.push(rest.slice(0, cut))
        rest = rest.slice(cut)
      }
      expect(filter([...pieces, rest])).toBe(filter([text]))
    }),
    { seed: 1 },
  )
})
