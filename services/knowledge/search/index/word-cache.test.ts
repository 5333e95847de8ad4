import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WordCache } from './word-cache.ts'

const run = fc.string({ unit: fc.constantFrom('借', '款', '人'), minLength: 1, maxLength: 5 })
/** Stands for the word lengths of a run. */
const mark = fc.integer({ min: 1, max: 99 })

test('a run is found with the word lengths that were stored last, or not at all', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(run, mark), { maxLength: 60 }), (added) => {
      // Small enough that runs are overwritten and share slots.
      const cache = new WordCache(24, 4)
      const marks = new Map<string, number>()
      for (const [text, mark] of added) {
        const position = cache.add(text.length, text, 0, text.length)
        cache.wordLengths.fill(mark, position, position + text.length)
        marks.set(text, mark)
        expect(cache.find(text.length, `人${text}`, 1, text.length + 1)).toBe(position)
        for (const [each, mark] of marks) {
          const found = cache.find(each.length, each, 0, each.length)
          if (found < 0) continue
          const stored = [...cache.wordLengths.subarray(found, found + each.length)]
          expect(stored).toEqual(Array(each.length).fill(mark))
        }
      }
    }),
  )
})

test('a run that is too long is not cached', () => {
  const cache = new WordCache()
  const text = '款'.repeat(256)
  expect(cache.add(1, text, 0, 256)).toBe(-1)
  expect(cache.find(1, text, 0, 256)).toBe(-1)
  expect(cache.add(1, text, 0, 255)).toBe(cache.find(1, text, 0, 255))
})
