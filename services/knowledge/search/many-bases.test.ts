import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../../tests/support/databases.ts'
import {
  buildDocument,
  insertBase,
  type KnowledgeProcess,
  startKnowledge,
} from '../../../tests/support/knowledge-process.ts'
import { makeSql } from '../../_kit/sql/sql.ts'

let database: Database
let process: KnowledgeProcess
beforeAll(async () => {
  database = await newDatabase('postgres')
  process = startKnowledge(database.driver)
})
afterAll(() => database.drop())

const words = Array.from({ length: 40 }, (_, index) => `word${index}`)

/** Writes a document with all words into each of the bases. */
async function writeDocuments(bases: readonly string[]) {
  for (const [nth, kb] of bases.entries()) {
    const document = buildDocument(kb, `d${nth}`, { chunks: [words.join(' '), `lone ${nth}`] })
    await process.post('atomic/batch-upsert', { documents: [document] })
  }
}

/** Counts the statements and rows of a search by a process without a cache. */
async function countReads(organization: string) {
  const { driver } = database
  const count = { statements: 0, rows: 0 }
  const counting = startKnowledge({
    ...driver,
    async query(text, params) {
      const rows = await driver.query(text, params)
      count.statements++
      count.rows += rows.length
      return rows
    },
  })
  const body = { query: words.join(' '), top_k: 100 }
  const headers = { 'x-organization-id': organization }
  const { hits } = await counting.post('atomic/keyword-search', body, headers)
  return { hits: hits.length, ...count }
}

describe('a search over many bases', () => {
  test('reads about as much as one over a single base with the same content', async () => {
    const single = await insertBase(database.driver, 'single')
    await writeDocuments(Array.from({ length: 60 }, () => single))
    const many: string[] = []
    for (let nth = 0; nth < 60; nth++) many.push(await insertBase(database.driver, 'many'))
    await writeDocuments(many)
    await process.settle()
    const [one, sixty] = [await countReads('single'), await countReads('many')]
    expect([one.hits, sixty.hits]).toEqual([60, 60])
    expect(sixty.statements).toBe(one.statements)
    // A row for the sequence numbers of each base, and no more.
    expect(sixty.rows - one.rows).toBeLessThanOrEqual(60)
  })

  test('finds nothing of other organizations, whose bases are in other shards', async () => {
    const shards = await makeSql(database.driver)`
      select organization_id, count(distinct shard) as shards from knowledge.bases
      group by organization_id order by organization_id`
    expect(shards).toEqual([
      { organization_id: 'many', shards: 1 },
      { organization_id: 'single', shards: 1 },
    ])
    const headers = { 'x-organization-id': 'nobody' }
    const { hits } = await process.post('atomic/keyword-search', { query: 'word1' }, headers)
    expect(hits).toEqual([])
  })

  const score = async (headers: Record<string, string>, kb_ids: string[] = []) => {
    const body = { query: 'lien debt rent', kb_ids, top_k: 100 }
    const { hits } = await process.post('atomic/keyword-search', body, headers)
    return hits.map((hit: any) => [hit.content, hit.score])
  }

  test('has the same scores whatever the bases outside of its scope contain', async () => {
    const contents = ['lien', 'debt debt lien', 'rent', 'rent of a house', 'nothing']
    const write = async (kb: string, chunks: string[]) =>
      process.post('atomic/batch-upsert', { documents: [buildDocument(kb, 'd', { chunks })] })
    const alone = await insertBase(database.driver, 'alone')
    await write(alone, contents)
    const expected = await score({ 'x-organization-id': 'alone' })
    expect(expected).toHaveLength(4)

    const [shared, internal] = [
      await insertBase(database.driver, 'firm'),
      await insertBase(database.driver, 'firm'),
    ]
    await write(internal, ['lien of a ship', 'debt', 'debt of a firm'])
    await write(shared, contents)
    await write(internal, ['lien of a ship', 'debt', 'debt of a firm', 'rent rent rent'])
    const sql = makeSql(database.driver)
    await sql`update knowledge.bases set audience = 'clients' where id = ${shared}`
    expect(
      await sql`
      select distinct shard from knowledge.bases where organization_id = 'firm'`,
    ).toHaveLength(1)
    const client = { 'x-organization-id': 'firm', 'x-user-type': 'client' }
    const lawyer = { 'x-organization-id': 'firm', 'x-user-type': 'lawyer' }
    // Cached lists contain the chunks of both bases.
    expect(await score(lawyer)).toHaveLength(8)
    expect(await score(client)).toEqual(expected)
    expect(await score(lawyer, [shared])).toEqual(expected)
  })
})
