import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../../../tests/support/databases.ts'
import {
  buildDocument,
  type DocumentInput,
  insertBase,
  mergeBase,
  startKnowledge,
} from '../../../../tests/support/knowledge-process.ts'
import { indexedText } from '../../indexed-text.ts'
import { extractTerms } from './terms.ts'

let database: Database
beforeAll(async () => {
  database = await newDatabase('pglite')
})
afterAll(() => database.drop())

const start = (env?: Record<string, string>) => startKnowledge(database.driver, env)

describe('two processes on one database', () => {
  test('a search in one process sees writes, changes and deletions of another immediately', async () => {
    const [one, two] = [start(), start()]
    const kb = await insertBase(database.driver)
    const searchHits = async () => {
      const { hits } = await two.post('atomic/keyword-search', { kb_ids: [kb], query: 'lien' })
      return hits.map((hit: any) => [hit.document_id, hit.doc_type, hit.content])
    }
    const write = (id: string, input: DocumentInput) =>
      one.post('atomic/batch-upsert', { documents: [buildDocument(kb, id, input)] })
    expect(await searchHits()).toEqual([])
    await write('a', { file_id: 'f', chunks: ['lien'] })
    expect(await searchHits()).toEqual([['a', 'statute', 'lien']])
    await write('b', { chunks: ['lien and more'] })
    expect(await searchHits()).toHaveLength(2)
    await write('b', { doc_type: 'case', chunks: ['lien and more'] })
    expect(await searchHits()).toContainEqual(['b', 'case', 'lien and more'])
    await write('b', { chunks: ['another lien'] })
    expect(await searchHits()).toContainEqual(['b', 'statute', 'another lien'])
    await write('b', { metadata: { effective_to: '2000-01-01' }, chunks: ['another lien'] })
    expect(await searchHits()).toEqual([['a', 'statute', 'lien']])
    await one.post('atomic/delete-by-file', { kb_id: kb, file_id: 'f' })
    expect(await searchHits()).toEqual([])
  })
})

describe('a process with a filled cache', () => {
  const text = fc
    .array(fc.constantFrom('lien', 'debt', '借款', '《乙法》'), { minLength: 1, maxLength: 2 })
    .map((words) => words.join(' '))
  const id = fc.constantFrom('甲法', '乙法', 'c')
  const documentInput = fc.record({
    file_id: fc.constantFrom('f', 'g'),
    doc_type: fc.constantFrom('statute', 'case'),
    metadata: fc.constantFrom({}, { effective_to: '2000-01-01' }),
    chunks: fc.array(text, { minLength: 1, maxLength: 4 }),
  })
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ write: fc.tuple(id, documentInput) }) },
    { weight: 2, arbitrary: fc.record({ remove: fc.constantFrom('f', 'g') }) },
    { weight: 2, arbitrary: fc.constant('merge' as const) },
  )
  const filters = fc.constantFrom({}, { doc_types: ['case'] }, { document_ids: ['c', '甲法'] })
  const steps = fc.array(fc.tuple(step, text, filters), { minLength: 7, maxLength: 10 })

  test('a process with a filled cache returns the same results as a new process after any write', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom('1', '64'), async (steps, megabytes) => {
        const kb = await insertBase(database.driver)
        const writer = start()
        const old = start({ KNOWLEDGE_SEARCH_CACHE_MB: megabytes })
        const stored = new Map<string, DocumentInput>()
        for (const [what, query, filters] of steps) {
          if (what === 'merge') await mergeBase(database.driver, writer, kb)
          else if ('write' in what) {
            const documents = [buildDocument(kb, ...what.write)]
            await writer.post('atomic/batch-upsert', { documents })
            stored.set(...what.write)
          } else {
            await writer.post('atomic/delete-by-file', { kb_id: kb, file_id: what.remove })
            for (const [id, { file_id }] of stored) if (file_id === what.remove) stored.delete(id)
          }
          // The repeated query reads cached postings, the random query uncached ones.
          for (const text of ['lien debt 借款', query]) {
            const body = { kb_ids: [kb], query: text, filters, top_k: 100 }
            const fresh = await start().post('atomic/keyword-search', body)
            expect(await old.post('atomic/keyword-search', body)).toEqual(fresh)
            const found = fresh.hits.map((hit: any) => `${hit.document_id} ${hit.content}`)
            expect(found.sort()).toEqual(matching(stored, text, filters).sort())
          }
        }
      }),
      { numRuns: 6, endOnFailure: true },
    )
  })

  /** The chunks that share a term with the query, by definition. */
  function matching(
    stored: ReadonlyMap<string, DocumentInput>,
    query: string,
    { doc_types, document_ids }: Record<string, readonly string[] | undefined>,
  ): string[] {
    // A query that names a law searches for the law, not for texts that cite it.
    const terms = extractTerms(query).filter((term) => !term.startsWith('《'))
    return [...stored].flatMap(([id, { doc_type = 'statute', metadata = {}, chunks }]) => {
      const isExcluded =
        doc_types?.includes(doc_type) === false || document_ids?.includes(id) === false
      if (isExcluded || 'effective_to' in metadata) return []
      const own = chunks.filter((content) => {
        const indexed = new Set(extractTerms(indexedText({ title: id, heading: null, content })))
        return terms.some((term) => indexed.has(term))
      })
      return own.map((content) => `${id} ${content}`)
    })
  }
})
