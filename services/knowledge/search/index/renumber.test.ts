import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type Database, newDatabase } from '../../../../tests/support/databases.ts'
import {
  buildDocument,
  insertBase,
  mergeBase,
  startKnowledge,
} from '../../../../tests/support/knowledge-process.ts'
import { type Driver, makeSql } from '../../../_kit/sql/sql.ts'
import { maxSeq } from './posting-list.ts'

let database: Database
beforeAll(async () => {
  database = await newDatabase('pglite')
})
afterAll(() => database.drop())

const start = (driver: Driver = database.driver) => startKnowledge(driver)

const Counters = z.object({ next_seq: z.int(), chunks: z.int(), numbering: z.int() })
const readCounters = async (kb: string) =>
  (await makeSql(database.driver).row(Counters)`
    select next_seq, chunks, numbering
    from knowledge.bases base join knowledge.shards shard on shard.no = base.shard
    where id = ${kb}`)!

/** Creates a base that shares its shard with no other. */
const insertAlone = () => insertBase(database.driver, crypto.randomUUID())

let fillers = 0

/**
 * A document of `count` chunks: the first ones have the words, the others new words that are not searched.
 */
const buildLarge = (kb: string, id: string, count: number, words: readonly string[]) =>
  buildDocument(kb, id, {
    file_id: `file of ${id}`,
    chunks: Array.from({ length: count }, (_, index) => words[index] ?? `filler ${++fillers}`),
  })

type Process = ReturnType<typeof start>
const write = (process: Process, document: ReturnType<typeof buildLarge>) =>
  process.post('atomic/batch-upsert', { documents: [document] })
const remove = (process: Process, kb: string, id: string) =>
  process.post('atomic/delete-by-file', { kb_id: kb, file_id: `file of ${id}` })

async function searchContents(process: Process, kb: string, query: string): Promise<string[]> {
  const { hits } = await process.post('atomic/keyword-search', {
    ...{ kb_ids: [kb], query, top_k: 100 },
  })
  return hits.map((hit: any) => `${hit.document_id} ${hit.content}`).sort()
}

describe('renumbering', () => {
  test('the sequence numbers follow the content after many imports and deletions of it', async () => {
    const [kb, process] = [await insertAlone(), start()]
    await write(process, buildLarge(kb, 'kept', 20, ['lien']))
    for (let round = 0; round < 4; round++) {
      await write(process, buildLarge(kb, 'd', 300, ['lien', `round${round}`]))
      expect(await searchContents(process, kb, 'lien')).toEqual(['d lien', 'kept lien'])
      await remove(process, kb, 'd')
      expect(await searchContents(process, kb, 'lien')).toEqual(['kept lien'])
      await process.settle()
      expect(await readCounters(kb)).toEqual({ next_seq: 20, chunks: 20, numbering: round })
      expect(await searchContents(process, kb, 'lien')).toEqual(['kept lien'])
      expect(await searchContents(process, kb, `round${round}`)).toEqual([])
    }
    const numberings = await makeSql(database.driver)`
      select distinct numbering from knowledge.postings
      where shard = (select shard from knowledge.bases where id = ${kb})`
    expect(numberings).toEqual([{ numbering: 3 }])
  })

  test('a base without free sequence numbers rejects a write, and accepts it once renumbered', async () => {
    const [kb, process] = [await insertAlone(), start()]
    await write(process, buildLarge(kb, 'a', 2, ['lien', 'debt']))
    await makeSql(database.driver)`
      update knowledge.shards set next_seq = ${maxSeq - 1}
      where no = (select shard from knowledge.bases where id = ${kb})`
    const documents = [buildLarge(kb, 'b', 2, ['lien'])]
    expect(await process.request('atomic/batch-upsert', { documents })).toMatchObject({
      status: 409,
      message: 'The base is full (268,435,456 chunks): create another one.',
    })
    await mergeBase(database.driver, process, kb)
    expect(await readCounters(kb)).toMatchObject({ next_seq: 2, chunks: 2 })
    await process.post('atomic/batch-upsert', { documents })
    expect(await searchContents(process, kb, 'lien')).toEqual(['a lien', 'b lien'])
  })

  test('a search during which the chunks are renumbered returns the right hits', async () => {
    const words = Array.from({ length: 30 }, (_, index) => `lien${index} lien`)
    let renumberedCount = 0
    for (const isWarm of [false, true]) {
      for (let statement = 1, isOver = false; !isOver; statement++) {
        const kb = await insertAlone()
        const writer = start()
        let left = Number.POSITIVE_INFINITY
        const searcher = start({
          ...database.driver,
          async query(text, params) {
            if (--left === 0) await writer.settle()
            return database.driver.query(text, params)
          },
        })
        await write(writer, buildLarge(kb, 'before', 300, ['lien old']))
        await write(writer, buildLarge(kb, 'kept', 40, words))
        if (isWarm) await searchContents(searcher, kb, 'lien')
        await remove(writer, kb, 'before')
        const expected = words.map((word) => `kept ${word}`).sort()
        left = statement
        expect(await searchContents(searcher, kb, 'lien'), `before ${statement}`).toEqual(expected)
        isOver = left > 0
        if (!isOver) renumberedCount += (await readCounters(kb)).numbering + 1
        // Nothing that the interrupted search read stays in the cache.
        await write(writer, buildLarge(kb, 'more', 60, ['lien more']))
        expect(await searchContents(searcher, kb, 'lien')).toEqual([...expected, 'more lien more'])
      }
    }
    expect(renumberedCount).toBeGreaterThanOrEqual(6)
  })

  const words = ['lien', 'debt', 'lien debt', 'rent']
  const id = fc.constantFrom('a', 'b')
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        write: id,
        count: fc.integer({ min: 150, max: 250 }),
        words: fc.subarray(words, { minLength: 1 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ remove: id }) },
    { weight: 2, arbitrary: fc.constant('merge' as const) },
  )

  test('searches are right between all steps of imports, deletions and merges', async () => {
    let renumberedCount = 0
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 10 }),
      async (steps) => {
        const kb = await insertAlone()
        const searcher = start()
        const stored = new Map<string, readonly string[]>()
        const check = async () => {
          for (const query of ['lien', 'debt rent']) {
            const isFound = (text: string) =>
              text.split(' ').some((word) => query.split(' ').includes(word))
            const expected = [...stored].flatMap(([id, texts]) =>
              texts.filter(isFound).map((text) => `${id} ${text}`),
            )
            expect(await searchContents(searcher, kb, query)).toEqual(expected.sort())
          }
        }
        // Searches after every transaction of a merge.
        let isMerging = false
        const merger = start({
          ...database.driver,
          async transaction(work) {
            const result = await database.driver.transaction(work)
            if (isMerging) await check()
            return result
          },
        })
        for (const what of steps) {
          if (what === 'merge') {
            isMerging = true
            await mergeBase(database.driver, merger, kb)
            isMerging = false
          } else if ('write' in what) {
            await write(searcher, buildLarge(kb, what.write, what.count, what.words))
            stored.set(what.write, what.words)
          } else {
            await remove(searcher, kb, what.remove)
            stored.delete(what.remove)
          }
          await check()
        }
        const { next_seq, chunks, numbering } = await readCounters(kb)
        expect(next_seq).toBeGreaterThanOrEqual(chunks)
        renumberedCount += numbering + 1
      },
    )
    await fc.assert(property, { numRuns: 5, seed: 17, endOnFailure: true })
    expect(renumberedCount).toBeGreaterThan(1)
  })
})
