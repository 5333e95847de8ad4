import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSimilar, normalizeText } from './similarity.ts'

/** Reference Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(
        Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)),
      )
    }
    row = next
  }
  return row[b.length]!
}

describe('isSimilar', () => {
  test('isSimilar agrees with the edit distance for any texts and threshold', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '借', '款'), maxLength: 25 })
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 10 }), (a, b, tenths) => {
        const longer = Math.max(a.length, b.length)
        const maxEdits = Math.floor(longer * (1 - tenths / 10) + 1e-9)
        expect(isSimilar(a, b, tenths / 10)).toBe(distance(a, b) <= maxEdits)
      }),
      { numRuns: 500 },
    )
  })

  test('isSimilar is symmetric', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        (a, b) => isSimilar(a, b, 0.9) === isSimilar(b, a, 0.9),
      ),
    )
  })

  test('normalizeText removes width, case, punctuation and spacing', () => {
    expect(normalizeText('  Ｔｈｅ　Client — prefers:  E-mail！')).toBe('the client prefers e mail')
  })
})
