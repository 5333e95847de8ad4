import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KnowledgeStage, stageKnowledge } from '../../../../tests/support/knowledge.ts'
import { candidatePhrases } from '../query/expansion-data.ts'
import { queryTerms } from '../query/query-terms.ts'
import { decodeLength, decodePosting, encodePosting, offsetInBlock } from './postings.ts'
import { termId, termsOf } from './terms.ts'

describe('an entry of the index', () => {
  test('tells the place, the count and about the length', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 60_000 }),
        (seq, count, length) => {
          const value = decodePosting(encodePosting(seq, count, length), 0)
          expect(offsetInBlock(value)).toBe(seq % 16_384)
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
  test('keep numbers whole beside their parts', () => {
    expect(termsOf('第六百七十五条之一')).toEqual(expect.arrayContaining(['第675条', '第675条之1']))
    expect(termsOf('Art. 675 and § 12')).toEqual(expect.arrayContaining(['第675条', '第12条']))
    expect(termsOf('(2021)京01民终1234号')).toContain('(2021)京01民终1234号')
  })

  test('of a question are each there once, those of other words for it lighter', () => {
    const terms = queryTerms('借款 借款', [{ target: '借贷', weight: 0.5 }])
    const weightOf = (term: string) => terms.find(({ id }) => id === termId(term))?.weight
    expect(terms).toHaveLength(new Set(terms.map(({ id }) => id)).size)
    expect(weightOf('借贷')).toBe(weightOf('借款')! / 2)
  })

  test('phrases of a question are its stretches', () => {
    expect(candidatePhrases('不还钱 Unpaid  loan')).toEqual(
      expect.arrayContaining(['不还', '还钱', '不还钱', 'unpaid', 'loan', 'unpaid loan']),
    )
  })
})

describe('putting the index in order', () => {
  let at: KnowledgeStage
  beforeAll(async () => {
    at = await stageKnowledge()
  })
  afterAll(() => at.close())

  test('leaves one row a block without what is gone, and the same answers', async () => {
    const kb = await at.createBase()
    const documents = Array.from({ length: 1_200 }, (_, index) => ({
      document_id: `d${index}`,
      file_id: index % 3 === 0 ? 'gone' : 'kept',
      chunks: [`covenant number ${index}`],
    }))
    await at.upsert(kb, documents)
    await at.post('/api/v1/internal/atomic/delete-by-file', { kb_id: kb, file_id: 'gone' })
    const before = (await at.search([kb], 'covenant 700')).data.hits
    const rows = () => at.sql`
      select segment, length(entries) / 4 as entries from knowledge.postings
      where term = ${termId('covenant')} order by segment`
    expect((await rows()).map(({ segment }) => segment)).toEqual([0, 1, 2])

    await at.sql`
      insert into knowledge.jobs (id, kind, payload, run_at, max_attempts)
      select gen_random_uuid(), 'merge', jsonb_build_object('base', no), now(), 1
      from knowledge.bases where id = ${kb}`
    await at.runJobs()
    expect(await rows()).toEqual([{ segment: -1, entries: 800 }])
    const after = (await at.search([kb], 'covenant 700')).data.hits
    expect(after[0]).toMatchObject({ document_id: 'd700' })
    const ids = (hits: { document_id: string }[]) => hits.map((hit) => hit.document_id)
    expect(ids(after)).toEqual(ids(before))
    await at.upsert(kb, [{ document_id: 'new', chunks: ['covenant fresh'] }])
    expect(await at.searchIds([kb], 'fresh')).toEqual(['new'])
  })

  test('counts who cites a law, and a law that others cite comes first', async () => {
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
    await at.sql`update knowledge.bases set added_since_merge = 10000 where id = ${kb}`
    await at.upsert(kb, [{ document_id: 'd', chunks: ['无关。'] }])
    await at.runJobs()
    expect(await at.sql`select title from knowledge.documents where citation_count = 2`).toEqual([
      { title: '乙法' },
    ])
    expect((await at.searchIds([kb], '返还孳息'))[0]).toBe('乙法')
  })

  test('is asked for once there is enough to do', async () => {
    const kb = await at.createBase()
    const waiting = async () =>
      (
        await at.sql`
        select from knowledge.jobs where kind = 'merge' and status = 'PENDING'`
      ).length
    await at.upsert(kb, [{ document_id: 'd', chunks: ['x'] }])
    expect(await waiting()).toBe(0)
    await at.sql`update knowledge.bases set added_since_merge = 10000 where id = ${kb}`
    await at.upsert(kb, [{ document_id: 'd', chunks: ['y'] }])
    expect(await waiting()).toBe(1)
    await at.runJobs()
    const [state] = await at.sql`select added_since_merge from knowledge.bases where id = ${kb}`
    expect(state).toEqual({ added_since_merge: 0 })
    expect(await at.searchIds([kb], 'y')).toEqual(['d'])
  })
})
