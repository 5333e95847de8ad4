import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeLength, packPosting } from './posting.ts'
import { SegmentBuilder } from './segment.ts'
import { extractTerms, termId } from './terms.ts'

const text = fc
  .array(fc.constantFrom('借款', '借款人', 'loan', 'lien', '第12条', '12', '。'), { maxLength: 30 })
  .map((words) => words.join(' '))

test('a segment has the postings of its chunks by ascending term and chunk', () => {
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1, maxLength: 20 }),
      fc.nat({ max: 1e6 }),
      (texts, firstSeq) => {
        const builder = new SegmentBuilder()
        const expected: [number, number][] = []
        texts.forEach((text, index) => {
          const ids = extractTerms(text).map(termId)
          expect(builder.add(firstSeq + index, text)).toBe(ids.length)
          for (const id of new Set(ids)) {
            const count = ids.filter((each) => each === id).length
            expected.push([id, packPosting(index, count, encodeLength(ids.length))])
          }
        })
        expected.sort(([a, one], [b, other]) => a - b || one - other)
        const { terms, ends, postings, ...range } = builder.build()
        expect(range).toEqual({ firstSeq, endSeq: firstSeq + texts.length })
        expect([...postings]).toEqual(expected.map(([, posting]) => posting))
        const byTerm = Map.groupBy(expected, ([id]) => id)
        expect([...terms]).toEqual([...byTerm.keys()])
        expect([...ends]).toEqual(
          [...byTerm.keys()].map((id) => expected.findLastIndex(([each]) => each === id) + 1),
        )
      },
    ),
  )
})

test('a chunk outside of the range of offsets is rejected', () => {
  const builder = new SegmentBuilder()
  builder.add(5, 'lien')
  expect(() => builder.add(5 + 16_384, 'lien')).toThrow('segment is full')
})

test('a segment with many terms has each of them once, in order', () => {
  const builder = new SegmentBuilder()
  const words = Array.from({ length: 30_000 }, (_, index) => `w${index}`)
  for (let chunk = 0; chunk < 3; chunk++) {
    for (let at = 0; at < words.length; at += 1_000) {
      builder.add(chunk * 30 + at / 1_000, words.slice(at, at + 1_000).join(' '))
    }
  }
  const { terms, ends, postings } = builder.build()
  expect(terms).toEqual(Int32Array.from(new Set(words.map(termId))).sort())
  expect(postings).toHaveLength(90_000)
  expect(ends.at(-1)).toBe(90_000)
})
