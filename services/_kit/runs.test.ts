import fc from 'fast-check'
import { expect, test } from 'vitest'
import { visitRuns } from './runs.ts'

/** The same runs by one pattern. */
const pattern =
  /(\p{Script=Han}+)|((?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?)|[\p{L}--\p{Script=Han}][[\p{L}\p{M}\d']--\p{Script=Han}]*/gv

function readRuns(text: string) {
  const runs: [string, 'han' | 'number' | 'word'][] = []
  visitRuns(
    text,
    (source, from, to) => runs.push([source.slice(from, to), 'han']),
    (word, number) => runs.push([word, number === undefined ? 'word' : 'number']),
  )
  return runs
}

const piece = fc.oneof(
  fc.constantFrom(
    '借款',
    '々',
    '〇',
    '⺀',
    '𠮷野',
    '野𠮷',
    '葛\u{E0100}',
    '東京タワー',
    '한국',
    'é',
    'e\u0301',
  ),
  fc.constantFrom(
    '1,000',
    '1,0000',
    '2021.',
    '3.14',
    "lender's",
    'ｶﾅ',
    '😀',
    '\ud842',
    '\udfb7',
    '𝒜',
    '，',
    ' ',
  ),
  fc.string({ unit: 'binary', maxLength: 4 }),
)

test('the runs of any text are those that the pattern finds', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
      const text = pieces.join('')
      const expected = Array.from(text.matchAll(pattern), ([run, han, number]) => [
        run,
        han ? 'han' : number ? 'number' : 'word',
      ])
      expect(readRuns(text)).toEqual(expected)
    }),
    { numRuns: 1_000 },
  )
})

test('every code unit alone and between Han characters gives the runs of the pattern', () => {
  for (let unit = 0; unit < 65_536; unit++) {
    const text = `款${String.fromCharCode(unit)}款`
    const expected = Array.from(text.matchAll(pattern), ([run]) => run)
    if (
      readRuns(text)
        .map(([run]) => run)
        .join('\n') !== expected.join('\n')
    ) {
      expect.fail(`code unit ${unit.toString(16)}`)
    }
  }
})
