import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../../tests/support/databases.ts'
import {
  buildDocument,
  insertBase,
  mergeBase,
  startKnowledge,
} from '../../../tests/support/knowledge-process.ts'
import { type Driver, makeSql, type Sql } from '../../_kit/sql/sql.ts'
import { lockBaseIfExists } from '../lock-base.ts'
import { termId } from '../search/index/terms.ts'
import { moveBase } from './move-base.ts'
import { maxSharedChunks } from './place-chunks.ts'

let database: Database
let sql: Sql
beforeAll(async () => {
  database = await newDatabase('pglite')
  sql = makeSql(database.driver)
})
afterAll(() => database.drop())

const start = (driver: Driver = database.driver) => startKnowledge(driver)
type Process = ReturnType<typeof start>

const write = (process: Process, kb: string, id: string, chunks: string[]) =>
  process.post('atomic/batch-upsert', {
    documents: [buildDocument(kb, id, { file_id: `file of ${id}`, chunks })],
  })

/** Contents of the hits, without their order. An empty `kb_ids` searches all bases of the organization. */
async function searchContents(
  process: Process,
  organization: string,
  query: string,
  kb_ids: string[] = [],
): Promise<string[]> {
  const body = { query, kb_ids, top_k: 100 }
  const headers = { 'x-organization-id': organization }
  const { hits } = await process.post('atomic/keyword-search', body, headers)
  return hits.map((hit: any) => `${hit.kb_id} ${hit.content}`).sort()
}

async function readShard(kb: string): Promise<number> {
  const [row] = await sql`select shard from knowledge.bases where id = ${kb}`
  return Number(row!.shard)
}

/** Moves a base to a shard of its own, as a base of an earlier version has one. */
const separate = (kb: string) =>
  sql.transaction(async (sql) => {
    const [row] = await sql`select no, organization_id from knowledge.bases where id = ${kb}`
    const base = await lockBaseIfExists(sql, Number(row!.no))
    if (!base?.shard) return
    const [shard] = await sql`
      insert into knowledge.shards (organization_id, shared)
      values (${String(row!.organization_id)}, false) returning no`
    await moveBase(sql, base, { no: Number(shard!.no), next_seq: 0, shared: false })
  })

/** Deletes a base as the endpoint does. */
async function deleteBase(process: Process, organization: string, kb: string) {
  const deleted = await process.remove(`bases/${kb}`, {
    ...{ 'x-organization-id': organization, 'x-user-type': 'lawyer' },
  })
  expect(deleted.status).toBe(200)
}

describe('a base', () => {
  test('that becomes large gets a shard of its own, and all bases are still found', async () => {
    const [small, grown] = [
      await insertBase(database.driver, 'growth'),
      await insertBase(database.driver, 'growth'),
    ]
    const process = start()
    await write(process, small, 'a', ['lien small'])
    await write(process, grown, 'b', ['lien grown', 'debt'])
    expect(await readShard(grown)).toBe(await readShard(small))
    const before = [`${grown} lien grown`, `${small} lien small`].sort()
    expect(await searchContents(process, 'growth', 'lien')).toEqual(before)

    const filler = Array.from({ length: maxSharedChunks }, (_, index) => `filler ${index}`)
    await write(process, grown, 'c', ['lien new', ...filler])
    expect(await readShard(grown)).not.toBe(await readShard(small))
    const after = [...before, `${grown} lien new`].sort()
    for (const searcher of [process, start()]) {
      expect(await searchContents(searcher, 'growth', 'lien')).toEqual(after)
    }
    await write(process, grown, 'b', ['lien grown', 'debt changed'])
    await process.settle()
    expect(await searchContents(process, 'growth', 'lien')).toEqual(after)
    expect(await searchContents(process, 'growth', 'debt')).toEqual([`${grown} debt changed`])
  })

  test('that is deleted leaves nothing in the shard that it shared', async () => {
    const [kept, gone] = [
      await insertBase(database.driver, 'deletion'),
      await insertBase(database.driver, 'deletion'),
    ]
    const process = start()
    await write(process, gone, 'a', ['lien secretword', 'debt'])
    await write(process, kept, 'b', ['lien kept'])
    await mergeBase(database.driver, process, kept)
    const readRest = () => sql`
      select term from knowledge.postings where term = ${termId('secretword')}
      union all select term from knowledge.segments, unnest(terms) term
      where term = ${termId('secretword')}`
    expect(await readRest()).toHaveLength(1)
    expect(await searchContents(process, 'deletion', 'secretword')).toHaveLength(1)
    await deleteBase(process, 'deletion', gone)
    for (const searcher of [process, start()]) {
      expect(await searchContents(searcher, 'deletion', 'secretword')).toEqual([])
      expect(await searchContents(searcher, 'deletion', 'lien')).toEqual([`${kept} lien kept`])
    }
    await process.settle()
    expect(await readRest()).toEqual([])
    const shard = await readShard(kept)
    expect(
      await sql`
        select next_seq, purge, first_seq, end_seq from knowledge.shards
        join knowledge.seq_ranges on shard = no where no = ${shard}`,
    ).toEqual([{ next_seq: 1, purge: false, first_seq: 0, end_seq: 1 }])
    expect(await searchContents(process, 'deletion', 'lien')).toEqual([`${kept} lien kept`])

    await deleteBase(process, 'deletion', kept)
    expect(await sql`select from knowledge.shards where no = ${shard}`).toEqual([])
    expect(await sql`select from knowledge.postings where shard = ${shard}`).toEqual([])
  })

  test('with a shard of its own moves to a shared one, also during a search', async () => {
    let movedCount = 0
    for (let statement = 1, isOver = false; !isOver; statement++) {
      const organization = `during ${statement}`
      const [first, second] = [
        await insertBase(database.driver, organization),
        await insertBase(database.driver, organization),
      ]
      const writer = start()
      let left = Number.POSITIVE_INFINITY
      const searcher = start({
        ...database.driver,
        async query(text, params) {
          if (--left === 0) {
            await writer.sweep()
            await writer.settle()
          }
          return database.driver.query(text, params)
        },
      })
      await write(writer, first, 'a', ['lien one', 'debt', 'lien two'])
      await write(writer, second, 'b', ['debt', 'lien three', 'lien four'])
      await separate(second)
      await separate(first)
      const expected = [
        ...['one', 'two'].map((word) => `${first} lien ${word}`),
        ...['three', 'four'].map((word) => `${second} lien ${word}`),
      ].sort()
      expect(await searchContents(searcher, organization, 'lien')).toEqual(expected)
      expect(await readShard(first)).not.toBe(await readShard(second))
      // Chunks that are not cached yet are read by further statements.
      await write(writer, first, 'c', ['rent'])
      left = statement
      expect(await searchContents(searcher, organization, 'lien rent')).toEqual(
        [...expected, `${first} rent`].sort(),
      )
      isOver = left > 0
      if (!isOver && (await readShard(first)) === (await readShard(second))) movedCount++
      expect(await searchContents(searcher, organization, 'lien')).toEqual(expected)
    }
    expect(movedCount).toBeGreaterThanOrEqual(4)
  })
})

describe('bases that share shards', () => {
  const base = fc.nat({ max: 2 })
  const id = fc.constantFrom('a', 'b')
  const texts = fc.array(fc.constantFrom('lien', 'debt', 'lien debt', 'rent'), { minLength: 1 })
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), base, id, texts }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), base, id }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('merge', 'separate', 'consolidate', 'delete'),
        base,
      }),
    },
  )

  test('are found right after any sequence of writes, merges, moves and deletions', async () => {
    let organizations = 0
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 8, maxLength: 12 }),
      async (steps) => {
        const organization = `shared ${++organizations}`
        const kbs: string[] = []
        for (let nth = 0; nth < 3; nth++) {
          kbs.push(await insertBase(database.driver, organization))
        }
        const stored = kbs.map(() => new Map<string, string[]>())
        const process = start()
        for (const what of steps) {
          const kb = kbs[what.base]!
          if ('texts' in what) {
            await write(process, kb, what.id, what.texts)
            stored[what.base]!.set(what.id, what.texts)
          } else if ('id' in what) {
            const file = { kb_id: kb, file_id: `file of ${what.id}` }
            await process.post('atomic/delete-by-file', file)
            stored[what.base]!.delete(what.id)
          } else if (what.kind === 'merge') await mergeBase(database.driver, process, kb)
          else if (what.kind === 'separate') await separate(kb)
          else if (what.kind === 'consolidate') {
            await process.sweep()
            await process.settle()
          } else {
            await deleteBase(process, organization, kb)
            kbs[what.base] = await insertBase(database.driver, organization)
            stored[what.base]!.clear()
          }
          const expected = kbs.map((kb, nth) =>
            [...stored[nth]!.values()]
              .flat()
              .filter((text) => text.includes('lien'))
              .map((text) => `${kb} ${text}`),
          )
          for (const searcher of [process, start()]) {
            expect(await searchContents(searcher, organization, 'lien')).toEqual(
              expected.flat().sort(),
            )
            const own = await searchContents(searcher, organization, 'lien', [kbs[what.base]!])
            expect(own).toEqual(expected[what.base]!.sort())
          }
        }
      },
    )
    await fc.assert(property, { numRuns: 5, seed: 17, endOnFailure: true })
  })
})
