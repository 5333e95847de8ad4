import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  blockSize,
  decodeLength,
  encodeLength,
  encodePostings,
  packPosting,
} from '../index/posting.ts'
import {
  appendPostings,
  decodePostings,
  emptyPostingList,
  termFrequency,
} from '../index/posting-list.ts'
import type { ShardPostings } from '../index/read-postings.ts'
import { searchTopK } from './bm25.ts'

/** A chunk: the frequency of each of the terms 0, 1, 2, … and the total number of terms. */
interface Chunk {
  counts: number[]
  length: number
}

/** The only base of a shard; both have the same number. */
const inBase = (no: number) => ({ shard: no, searched: undefined, baseOf: () => no })

/** Builds postings as the database stores them: one row per block, entries in any order. */
function buildPostings(chunks: readonly Chunk[], gap: number, split: number): ShardPostings {
  const lengths = new Uint8Array(chunks.length * gap + 1)
  const encodeRows = (term: number, from: number, to: number) => {
    const rows = new Map<number, string>()
    chunks.forEach(({ counts, length }, index) => {
      const seq = index * gap
      if (!counts[term] || seq < from || seq >= to) return
      const block = Math.floor(seq / blockSize)
      const posting = packPosting(seq % blockSize, counts[term], encodeLength(length))
      rows.set(block, encodePostings(Uint32Array.of(posting)) + (rows.get(block) ?? ''))
    })
    return Array.from(rows, ([block, entries]) => ({ first: block * blockSize, entries }))
  }
  const end = chunks.length * gap
  const terms = [0, 1, 2, 3].map((term) => {
    const before = decodePostings(encodeRows(term, 0, end), 0, split, lengths)
    return appendPostings(before, decodePostings(encodeRows(term, 0, end), split, end, lengths))
  })
  return { lengths, terms, ...inBase(1) }
}

const roundLength = (length: number) => decodeLength(encodeLength(length))

/** Reference implementation of BM25. */
function byDefinition(chunks: readonly Chunk[], weights: readonly number[], gap: number) {
  const all = chunks.reduce((sum, { length }) => sum + length, 0)
  return chunks
    .map(({ counts, length }, index) => {
      const score = weights.reduce((sum, weight, term) => {
        const n = chunks.filter(({ counts }) => counts[term]).length
        const count = Math.min(counts[term]!, 15)
        const norm = 1.2 * (0.25 + (0.75 * roundLength(length)) / (all / chunks.length))
        const rarity = Math.log(1 + (chunks.length - n + 0.5) / (n + 0.5))
        return sum + (weight * rarity * count * 2.2) / (count + norm)
      }, 0)
      return { seq: index * gap, score }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.seq - b.seq)
}

const chunk = fc.record({
  counts: fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 })), {
    minLength: 4,
    maxLength: 4,
  }),
  length: fc.integer({ min: 1, max: 2_000 }),
})
const weights = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 4, maxLength: 4 })

describe('termFrequency', () => {
  test('term frequencies are exact for sparse and for dense posting lists', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 15 }), { minLength: 1, maxLength: 600 }),
        fc.constantFrom(1, 30),
        fc.nat(),
        (counts, gap, split) => {
          const chunks = counts.map((count) => ({ counts: [count, 0, 0, 0], length: 1 }))
          const end = counts.length * gap
          const [term] = buildPostings(chunks, gap, split % end).terms
          const frequencies = Array.from({ length: end }, (_, seq) => termFrequency(term!, seq))
          expect(frequencies.filter((_, seq) => seq % gap === 0)).toEqual(counts)
          expect(frequencies.filter((count, seq) => seq % gap !== 0 && count > 0)).toEqual([])
        },
      ),
    )
  })
})

describe('searchTopK', () => {
  test('the top k equal those of exact BM25, with and without a set of allowed chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(chunk, { minLength: 1, maxLength: 120 }),
        weights,
        // A gap of 700 spreads the chunks over several blocks and windows.
        fc.constantFrom(1, 700),
        fc.integer({ min: 1, max: 130 }),
        fc.nat(),
        fc.option(fc.array(fc.nat({ max: 119 })), { nil: undefined }),
        async (chunks, weights, gap, limit, split, left) => {
          const source = buildPostings(chunks, gap, split % (chunks.length * gap))
          const terms = weights.map((weight, id) => ({ id, weight }))
          const words = chunks.reduce((sum, { length }) => sum + length, 0)
          const places = left && new Set(left.map((index) => index * gap))
          const found = await searchTopK(
            terms,
            [source],
            { chunks: chunks.length, words },
            limit,
            places && new Map([[1, places]]),
          )
          const expected = byDefinition(chunks, weights, gap).filter(
            ({ seq }) => !places || places.has(seq),
          )
          expect(found).toHaveLength(Math.min(limit, expected.length))
          const scores = new Map(expected.map(({ seq, score }) => [seq, score]))
          found.forEach(({ seq, score }, rank) => {
            expect(score / scores.get(seq)!).toBeCloseTo(1, 4)
            expect(score / expected[rank]!.score).toBeCloseTo(1, 4)
          })
        },
      ),
      { numRuns: 300 },
    )
  })

  test('chunks of other bases in a shard are not found and do not change scores', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(chunk, fc.boolean()), { minLength: 1, maxLength: 120 }),
        weights,
        fc.constantFrom(1, 700),
        async (all, weights, gap) => {
          const source = buildPostings(
            all.map(([chunk]) => chunk),
            gap,
            0,
          )
          const searched = new Uint8Array(source.lengths.length)
          const own = all.flatMap(([chunk, isOwn], index) => {
            if (isOwn) searched[index * gap] = 1
            return isOwn ? [{ chunk, seq: index * gap }] : []
          })
          const chunks = own.map(({ chunk }) => chunk)
          const words = chunks.reduce((sum, { length }) => sum + length, 0)
          const found = await searchTopK(
            weights.map((weight, id) => ({ id, weight })),
            [{ ...source, searched }],
            { chunks: chunks.length, words },
            120,
          )
          const expected = byDefinition(chunks, weights, 1)
          expect(found).toHaveLength(expected.length)
          const scores = new Map(expected.map(({ seq, score }) => [own[seq]!.seq, score]))
          for (const { seq, score } of found) expect(score / scores.get(seq)!).toBeCloseTo(1, 4)
        },
      ),
      { numRuns: 100 },
    )
  })

  test('the top k are exact in a large base, where frequent terms only rescore candidates', async () => {
    let state = 7
    const random = () => {
      state = (state * 48_271) % 2_147_483_647
      return state / 2_147_483_647
    }
    const share = [0.6, 0.3, 0.08, 0.04]
    const chunks = Array.from({ length: 20_000 }, () => ({
      counts: share.map((each) => (random() < each ? 1 + Math.floor(3 * random()) : 0)),
      length: 20 + Math.floor(200 * random()),
    }))
    const terms = [0, 1, 2, 3].map((id) => ({ id, weight: 1 }))
    const words = chunks.reduce((sum, { length }) => sum + length, 0)
    const statistics = { chunks: chunks.length, words }
    const source = buildPostings(chunks, 1, 9_000)
    // With k = all chunks every term is scanned, which gives the exact ranking.
    const all = await searchTopK(terms, [source], statistics, chunks.length)
    expect(all.length).toBeGreaterThan(12_000)
    const found = await searchTopK(terms, [source], statistics, 100)
    expect(found.map(({ seq }) => seq)).toEqual(all.slice(0, 100).map(({ seq }) => seq))
    found.forEach(({ score }, rank) => {
      expect(score).toBeCloseTo(all[rank]!.score, 9)
    })
    // A term can be frequent in one base and rare in another.
    const few = buildPostings(
      chunks
        .slice(0, 500)
        .map(({ counts, length }) => ({ counts: [0, 0, ...counts.slice(2)], length })),
      1,
      200,
    )
    const both = await searchTopK(terms, [source, { ...few, ...inBase(2) }], statistics, 100)
    const every = await searchTopK(
      terms,
      [source, { ...few, ...inBase(2) }],
      statistics,
      chunks.length,
    )
    expect(both.map(({ base, seq }) => [base, seq])).toEqual(
      every.slice(0, 100).map(({ base, seq }) => [base, seq]),
    )
  })

  test('a query of frequent terms only finds the top k', async () => {
    const chunks = Array.from({ length: 20_000 }, (_, index) => ({
      counts: [1 + (index % 3), index % 2, 0, 0],
      length: 9,
    }))
    const terms = [0, 1, 2, 3].map((id) => ({ id, weight: 1 }))
    const statistics = { chunks: chunks.length, words: 180_000 }
    const found = await searchTopK(terms, [buildPostings(chunks, 1, 100)], statistics, 10)
    expect(found.map(({ seq }) => seq)).toEqual([5, 11, 17, 23, 29, 35, 41, 47, 53, 59])
  })

  test('among equal scores the lowest sequence numbers come first', async () => {
    const chunks = Array.from({ length: 5_000 }, () => ({ counts: [1, 0, 0, 0], length: 9 }))
    const found = await searchTopK(
      [1, 1, 1, 1].map((weight, id) => ({ id, weight })),
      [buildPostings(chunks, 1, 4_000)],
      { chunks: 5_000, words: 45_000 },
      3,
    )
    expect(found.map(({ seq }) => seq)).toEqual([0, 1, 2])
  })

  test('a rare term ranks above a frequent one, and equal scores are ordered by base number', async () => {
    const source = buildPostings(
      [1, 1, 1, 0].map((count) => ({ counts: [count, 1 - count, 0, 0], length: 1 })),
      1,
      2,
    )
    const terms = [0, 1, 2, 3].map((id) => ({ id, weight: 1 }))
    const found = await searchTopK(
      terms,
      [source, { ...source, ...inBase(2) }],
      { chunks: 8, words: 8 },
      3,
    )
    expect(found.map(({ base, seq }) => [base, seq])).toEqual([
      [1, 3],
      [2, 3],
      [1, 0],
    ])
  })

  test('terms without postings return no hits', async () => {
    const terms = [emptyPostingList(0), emptyPostingList(5)]
    const source = { lengths: new Uint8Array(5), terms, ...inBase(1) }
    const queryTerms = terms.map((_, id) => ({ id, weight: 1 }))
    expect(await searchTopK(queryTerms, [source], { chunks: 5, words: 5 }, 10)).toEqual([])
  })
})
