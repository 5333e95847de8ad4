import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addTermIds, TermIds } from './term-ids.ts'
import { extractTerms, termId } from './terms.ts'

function extractTermIds(text: string): Int32Array {
  const ids = new TermIds()
  expect(addTermIds(text, ids)).toBe(ids.length)
  return ids.toArray()
}

const piece = fc.oneof(
  fc.constantFrom(
    '借款人应当',
    '第六百七十五条之一',
    '《民法典》',
    '（2021）京01民终1234号',
    'Art. 12',
  ),
  fc.constantFrom(
    'Lender’s',
    '1,000.50',
    '𠮷野家',
    '東京タワー',
    '々',
    '〇',
    '\n',
    ' ',
    '，',
    '한국',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
)

/** Compares the ids of a text with those of its terms, also when its runs are cached. */
function expectSameIds(text: string) {
  const expected = Int32Array.from(extractTerms(text), termId).sort()
  for (let round = 0; round < 2; round++) expect(extractTermIds(text).sort()).toEqual(expected)
}

test('term ids of a text are the ids of its terms, also when its runs are cached', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => expectSameIds(pieces.join(''))),
    { numRuns: 500 },
  )
})

test('term ids of the texts of the seed packages are the ids of their terms', () => {
  const directory = new URL('../../../../seed_packages/', import.meta.url)
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const texts = files.filter((file) => file.endsWith('.md'))
  expect(texts.length).toBeGreaterThan(50)
  for (const file of texts) {
    for (const paragraph of readFileSync(new URL(file, directory), 'utf8').split('\n\n')) {
      expectSameIds(paragraph)
    }
  }
})

test('a run that is longer than the cache allows has the ids of its terms', () => {
  expectSameIds('借款人应当按照约定的期限返还借款'.repeat(40))
})
