import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  atomic,
  external,
  type KnowledgeStage,
  stageKnowledge,
} from '../../tests/support/knowledge.ts'

let at: KnowledgeStage
let kb: string
beforeAll(async () => {
  at = await stageKnowledge()
  kb = await at.createBase()
  await at.upsert(kb, [
    {
      document_id: 'd',
      metadata: { court: 'high', year: 2020 },
      chunks: [
        { content: 'estoppel one', metadata: { court: 'low', page: 1 } },
        { content: 'estoppel two', metadata: { page: 2 } },
      ],
    },
  ])
})
afterAll(() => at.close())

const searches = ['keyword-search', 'vector-search', 'hybrid-search', 'graph-rag-search']
const paths = [...searches.map((name) => `${atomic}/${name}`), `${external}/query`]

describe.each(paths)('%s', (path) => {
  const search = (more: object) => at.post(path, { kb_ids: [kb], query: 'estoppel', ...more })

  test('a request within the limits is accepted', async () => {
    for (const more of [{ top_k: 1 }, { top_k: 100 }, { offset: 1_000 }, { min_score: -1 }]) {
      expect((await search(more)).status, JSON.stringify(more)).toBe(200)
    }
    expect((await search({ top_k: 1 })).data.hits).toHaveLength(1)
    expect((await search({ top_k: 1, offset: 1 })).data.hits).toHaveLength(1)
    expect((await search({ offset: 2 })).data.hits).toEqual([])
    expect((await search({ min_score: 1_000_000 })).data.hits).toEqual([])
    expect((await search({ as_of: '1900-01-01' })).data.hits).toHaveLength(2)
    expect((await search({ unknown_member: 1 })).status).toBe(200)
  })

  test.each([
    ['top_k', 0],
    ['top_k', 101],
    ['top_k', 1.5],
    ['offset', -1],
    ['min_score', 'high'],
    ['as_of', 'yesterday'],
    ['as_of', '2021-02-30'],
    ['kb_ids', 'all'],
    ['query', ''],
    ['query', 7],
  ])('a search with %s = %j is rejected', async (member, value) => {
    const refused = await search({ [member]: value })
    expect([refused.status, refused.code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(refused.data.issues[0].path.split('.')[0]).toBe(member)
  })

  test('a search that names an unknown base gets 404', async () => {
    for (const unknown of ['sys_nowhere', '0190b8f4-0000-7000-8000-000000000000', 'Base 1']) {
      const response = await search({ kb_ids: [kb, unknown] })
      expect([response.status, response.code]).toEqual([404, 'NOT_FOUND'])
    }
  })

  test('metadata filters match the metadata of the chunk or of its document', async () => {
    const searchByMetadata = async (metadata: object) =>
      (await search({ filters: { metadata } })).data.hits.map((hit: any) => hit.chunk_index).sort()
    expect(await searchByMetadata({ court: 'high' })).toEqual([0, 1])
    expect(await searchByMetadata({ court: 'low' })).toEqual([0])
    expect(await searchByMetadata({ court: 'high', page: 2 })).toEqual([1])
    expect(await searchByMetadata({ court: 'low', year: 2020 })).toEqual([0])
    expect(await searchByMetadata({ court: 'low', page: 2 })).toEqual([])
    expect(await searchByMetadata({})).toEqual([0, 1])
  })
})

test('every endpoint answers 404 for an unknown base', async () => {
  const kb_id = 'sys_nowhere'
  const calls = [
    at.post(`${atomic}/document`, { kb_id, document_id: 'd' }),
    at.post(`${atomic}/section`, { kb_id, document_id: 'd', section_id: 's' }),
    at.post(`${atomic}/delete-by-file`, { kb_id, file_id: 'f' }),
    at.post('/api/v1/internal/search/reindex-by-file', { kb_id, file_id: 'f' }),
    at.post('/api/v1/internal/search/reindex-batch', { kb_ids: [kb_id] }),
  ]
  for (const response of await Promise.all(calls)) {
    expect([response.status, response.code]).toEqual([404, 'NOT_FOUND'])
  }
})

test.each([{ depth: 0 }, { depth: 4 }, { limit: 0 }, { depth: 'far' }, { document_ids: 'd' }])(
  'graph-query rejects %j',
  async (body) => {
    const refused = await at.post(`${atomic}/graph-query`, body)
    expect([refused.status, refused.code]).toEqual([400, 'VALIDATION_FAILED'])
  },
)

test('graph-rag-search rejects a depth below 1 or above 3', async () => {
  const search = (depth: number) =>
    at.post(`${atomic}/graph-rag-search`, { kb_ids: [kb], query: 'estoppel', depth })
  expect((await search(3)).status).toBe(200)
  for (const depth of [0, 4]) expect((await search(depth)).status).toBe(400)
})

test('vector-search accepts a vector instead of a query and rejects a request with neither', async () => {
  const search = (body: object) => at.post(`${atomic}/vector-search`, { kb_ids: [kb], ...body })
  expect((await search({ vector: [0.1, 0.2] })).data).toMatchObject({ hits: [], degraded: false })
  expect((await search({})).status).toBe(400)
  expect((await search({ vector: [] })).status).toBe(400)
  expect((await search({ vector: ['x'] })).status).toBe(400)
})

test('an external request without an organization is rejected; an internal one is accepted', async () => {
  const headers = { 'x-organization-id': undefined }
  const refused = await at.post(`${external}/query`, { query: 'estoppel' }, headers)
  expect([refused.status, refused.code]).toEqual([400, 'VALIDATION_FAILED'])
  const trusted = await at.post(`${atomic}/hybrid-search`, { query: 'estoppel' }, headers)
  expect(trusted.data.hits).toHaveLength(2)
})
