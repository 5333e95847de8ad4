import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KnowledgeStage, stageKnowledge } from '../../../../tests/support/knowledge.ts'
import { candidatePhrases } from '../query/expansion-data.ts'
import { queryTerms } from '../query/query-terms.ts'
import { makeSearchCache } from './cache.ts'
import { mergeSegments } from './merge-job.ts'
import {
  decodeLength,
  decodePosting,
  encodeLength,
  encodePostings,
  packPosting,
  postingOffset,
} from './posting.ts'
import { termFrequency } from './posting-list.ts'
import { loadPostings } from './read-postings.ts'
import { Shard, shardColumns } from './shard.ts'
import { extractTerms, termId } from './terms.ts'

describe('a posting', () => {
  test('a decoded posting has the encoded offset, the capped frequency and the approximate length', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 16_383 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 60_000 }),
        (seq, count, length) => {
          const value = decodePosting(
            encodePostings(Uint32Array.of(packPosting(seq, count, encodeLength(length)))),
            0,
          )
          expect(postingOffset(value)).toBe(seq)
          expect((value >>> 6) & 15).toBe(Math.min(count, 15))
          expect(Math.abs(decodeLength(value & 63) / length - 1)).toBeLessThan(
            length < 5 ? 0.6 : 0.15,
          )
        },
      ),
    )
  })
})

describe('terms', () => {
  test('article and case numbers are kept as whole terms', () => {
    expect(extractTerms('第六百七十五条之一')).toEqual(
      expect.arrayContaining(['第675条', '第675条之1']),
    )
    expect(extractTerms('Art. 675 and § 12')).toEqual(expect.arrayContaining(['第675条', '第12条']))
    expect(extractTerms('(2021)京01民终1234号')).toContain('(2021)京01民终1234号')
  })

  test('query terms are unique, and expansion terms have their reduced weight', () => {
    const terms = queryTerms('借款 借款', [{ target: '借贷', weight: 0.5 }])
    const termWeight = (term: string) => terms.find(({ id }) => id === termId(term))?.weight
    expect(terms).toHaveLength(new Set(terms.map(({ id }) => id)).size)
    expect(termWeight('借贷')).toBe(termWeight('借款')! / 2)
  })

  test('candidate phrases of a query are its character and word n-grams', () => {
    expect(candidatePhrases('不还钱 Unpaid  loan')).toEqual(
      expect.arrayContaining(['不还', '还钱', '不还钱', 'unpaid', 'loan', 'unpaid loan']),
    )
  })
})

/** Postings of terms as a process without a cache reads them, as pairs of chunk and frequency. */
async function readAll(at: KnowledgeStage, no: number, terms: string[]) {
  const shards = await at.sql.rows(Shard)`
    select ${shardColumns} from knowledge.shards shard where no = ${no}`
  const scope = { shards, bases: { has: () => true } }
  const [read] = await loadPostings(at.sql, makeSearchCache(8), scope, terms.map(termId))
  const seqs = Array.from({ length: shards[0]!.next_seq }, (_, seq) => seq)
  return {
    postings: read!.terms.map((list) =>
      seqs.flatMap((seq) => {
        const frequency = termFrequency(list, seq)
        return frequency > 0 ? [`${seq} ${frequency} ${read!.lengths[seq]}`] : []
      }),
    ),
  }
}

describe('merging segments', () => {
  let at: KnowledgeStage
  beforeAll(async () => {
    at = await stageKnowledge()
  })
  afterAll(() => at.close())

  test('a merge after many deletions leaves one row per block without deleted chunks', async () => {
    const kb = await at.createBase()
    const documents = Array.from({ length: 1_200 }, (_, index) => ({
      document_id: `d${index}`,
      file_id: index % 3 === 0 ? 'gone' : 'kept',
      chunks: [`covenant number ${index}`],
    }))
    await at.upsert(kb, documents)
    await at.post('/api/v1/internal/atomic/delete-by-file', { kb_id: kb, file_id: 'gone' })
    const rows = () => at.sql`
      select numbering, length(entries) / 4 as entries from knowledge.postings
      where term = ${termId('covenant')}`
    const segments = () => at.sql`select first_seq, end_seq from knowledge.segments`
    expect(await rows()).toEqual([])
    expect(await segments()).toEqual([{ first_seq: 0, end_seq: 1200 }])

    await at.runJobs()
    expect(await rows()).toEqual([{ numbering: 0, entries: 800 }])
    expect(await segments()).toEqual([])
    const after = (await at.search([kb], 'covenant 700')).data.hits
    expect(after[0]).toMatchObject({ document_id: 'd700' })
    expect(after).toHaveLength(10)
    await at.upsert(kb, [{ document_id: 'new', chunks: ['covenant fresh'] }])
    expect(await at.searchIds([kb], 'fresh')).toEqual(['new'])
  })

  test('an interrupted and resumed merge does not change search results', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, [{ document_id: 'first', chunks: ['deed'] }])
    const [row] = await at.sql`select shard from knowledge.bases where id = ${kb}`
    const shard = Number(row!.shard)
    const write = (from: number) =>
      at.upsert(
        kb,
        Array.from({ length: 60 }, (_, n) => ({
          document_id: `d${from + n}`,
          chunks: [`tenure w${from + n} ${n % 7 === 0 ? 'rent' : 'lease'}`],
        })),
      )
    /** A replica without a cache. */
    const hits = async () => {
      const { postings } = await readAll(at, shard, ['tenure', 'rent', 'lease', 'w61'])
      return postings
    }
    for (let from = 0; from < 1_200; from += 60) await write(from)
    const expected = await hits()
    expect(expected.map((list) => list.length)).toEqual([1_200, 180, 1_020, 1])
    for (const steps of [1, 3, 8]) {
      let left = steps
      const signal = {
        throwIfAborted: () => {
          if (left-- === 0) throw new Error('stopped')
        },
      }
      const merge = mergeSegments(at as never, { shard }, { id: 'one', signal } as never)
      await expect(merge).rejects.toThrow('stopped')
      expect(await hits()).toEqual(expected)
    }
    const { signal } = new AbortController()
    await mergeSegments(at as never, { shard }, { id: 'two', signal } as never)
    expect(await hits()).toEqual(expected)
    const left = await at.sql`select from knowledge.segments where shard = ${shard}`
    expect(left).toEqual([])
    await write(1_200)
    expect((await hits())[0]).toHaveLength(1_260)
  })

  test('a merge counts citations of laws, and a cited law ranks first', async () => {
    const kb = await at.createBase()
    const law = (title: string) => ({
      document_id: title,
      title,
      chunks: ['占有人返还原物及其孳息。'],
    })
    await at.upsert(kb, [
      law('甲法'),
      law('乙法'),
      { document_id: 'c', chunks: ['依照《乙法》办理。', '《中华人民共和国乙法》另有规定。'] },
    ])
    expect((await at.searchIds([kb], '返还孳息'))[0]).toBe('甲法')
    await at.sql`update knowledge.shards set added_since_merge = 10000`
    await at.upsert(kb, [{ document_id: 'd', chunks: ['无关。'] }])
    await at.runJobs()
    expect(await at.sql`select title from knowledge.documents where citation_count = 2`).toEqual([
      { title: '乙法' },
    ])
    expect((await at.searchIds([kb], '返还孳息'))[0]).toBe('乙法')
  })

  test('a merge job is enqueued when enough chunks were added', async () => {
    const kb = await at.createBase()
    const waiting = async () =>
      (
        await at.sql`
        select from knowledge.jobs where kind = 'merge' and status = 'PENDING'`
      ).length
    await at.upsert(kb, [{ document_id: 'd', chunks: ['x'] }])
    expect(await waiting()).toBe(0)
    await at.sql`update knowledge.shards set added_since_merge = 10000`
    await at.upsert(kb, [{ document_id: 'd', chunks: ['y'] }])
    expect(await waiting()).toBe(1)
    await at.runJobs()
    const [state] = await at.sql`
      select added_since_merge from knowledge.shards
      where no = (select shard from knowledge.bases where id = ${kb})`
    expect(state).toEqual({ added_since_merge: 0 })
    expect(await at.searchIds([kb], 'y')).toEqual(['d'])
  })
})
