import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../../../tests/support/databases.ts'
import { silent } from '../../../_kit/log.ts'
import { makeMetrics } from '../../../_kit/metrics.ts'
import { makeSql } from '../../../_kit/sql/sql.ts'
import { indexedText } from '../../indexed-text.ts'
import knowledge from '../../service.ts'
import { extractTerms } from './terms.ts'

const key = 'a-key-for-tests-only'
let database: Database
beforeAll(async () => {
  database = await newDatabase('pglite')
})
afterAll(() => database.drop())

/** Starts a process of the service; all processes share one database. */
function start(env: Record<string, string> = {}) {
  const started = knowledge.start({
    env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key, ...env },
    database: database.driver,
    peers: () => () => Promise.reject(new Error('nobody is here')),
    log: silent,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })
  async function post(path: string, body: unknown): Promise<any> {
    const headers = { 'content-type': 'application/json', 'x-internal-api-key': key }
    const request = new Request(`http://test/api/v1/internal/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const response = await started.fetch(request)
    const { data, message } = await response.json()
    expect(response.status, message).toBe(200)
    return data
  }
  const settle = async () => {
    while ((await started.tick()) > 0);
  }
  return { post, settle }
}

let bases = 0
async function newBase() {
  const id = crypto.randomUUID()
  await makeSql(database.driver)`
    insert into knowledge.bases (id, organization_id, name)
    values (${id}, 'acme', ${`Base ${++bases}`})`
  return id
}

interface DocumentInput {
  file_id?: string
  doc_type?: string
  metadata?: object
  chunks: string[]
}

const buildDocument = (
  kb_id: string,
  document_id: string,
  { chunks, ...fields }: DocumentInput,
) => ({
  ...{ kb_id, document_id, doc_type: 'statute', title: document_id, metadata: {} },
  ...fields,
  chunks: chunks.map((content, chunk_index) => ({ chunk_index, content, metadata: {} })),
})

describe('two processes on one database', () => {
  test('a search in one process sees writes, changes and deletions of another immediately', async () => {
    const [one, two] = [start(), start()]
    const kb = await newBase()
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
        const kb = await newBase()
        const writer = start()
        const old = start({ KNOWLEDGE_SEARCH_CACHE_MB: megabytes })
        const stored = new Map<string, DocumentInput>()
        for (const [what, query, filters] of steps) {
          if (what === 'merge') await order(writer, kb)
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

  async function order({ settle }: ReturnType<typeof start>, kb: string) {
    await makeSql(database.driver)`
      insert into knowledge.jobs (id, kind, payload, run_at, max_attempts)
      select gen_random_uuid(), 'merge', jsonb_build_object('base', no), now(), 1
      from knowledge.bases where id = ${kb}`
    await settle()
  }
})
