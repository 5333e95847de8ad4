import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LawPrior } from '../query/priors.ts'
import { rescoreInContext } from './context-rescore.ts'

const documents = ['甲法', '乙法', '丙法'].map((law, index) => ({
  ...{ document_id: law, law, citation_count: 3 * index },
}))
const chunk = fc.record({
  base: fc.constant(1),
  score: fc.integer({ min: 1, max: 40 }),
  document: fc.constantFrom(...documents),
  chunk_index: fc.nat({ max: 30 }),
  article: fc.option(fc.nat({ max: 9 }).map(String)),
})
const located = fc
  .uniqueArray(chunk, {
    selector: ({ document, chunk_index }) => `${document.law} ${chunk_index}`,
    maxLength: 60,
  })
  .map((chunks) => chunks.map((chunk, seq) => ({ ...chunk, seq })))
const priors = fc.constantFrom(
  new Map<string, LawPrior>(),
  new Map([['乙法', new LawPrior(0.5, new Map([['3', -9]]), () => new Float64Array(10))]]),
)

test('the best chunks in context are the first of all chunks in context', () => {
  fc.assert(
    fc.property(located, priors, fc.integer({ min: 1, max: 70 }), (located, priors, limit) => {
      const all = rescoreInContext(located, priors)
      expect(all).toHaveLength(located.length)
      expect(rescoreInContext(located, priors, limit)).toEqual(all.slice(0, limit))
      expect(rescoreInContext(located.toReversed(), priors)).toEqual(all)
    }),
  )
})

test('a chunk gains from the best other chunk of its document and from its neighbour', () => {
  const [document] = documents
  const place = { base: 1, document: document!, article: null }
  const rescored = rescoreInContext([
    { ...place, seq: 1, score: 10, chunk_index: 1 },
    { ...place, seq: 2, score: 5, chunk_index: 2 },
    { ...place, seq: 3, score: 2, chunk_index: 9 },
  ])
  const scores = rescored.map(({ seq, score }) => [seq, score])
  expect(scores).toEqual([
    [1, 10 + 0.3 * 5 + 0.1 * 5],
    [2, 5 + 0.3 * 10 + 0.1 * 10],
    [3, 2 + 0.3 * 10],
  ])
})
