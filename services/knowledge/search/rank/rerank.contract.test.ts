import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { embeddingServer } from '../../../../tests/support/embedding.ts'
import {
  external,
  type KnowledgeStage,
  stageKnowledge,
} from '../../../../tests/support/knowledge.ts'
import { rerankServer } from '../../../../tests/support/rerank.ts'

describe('a rerank service', () => {
  let service: Awaited<ReturnType<typeof rerankServer>>
  let api: Awaited<ReturnType<typeof embeddingServer>>
  let at: KnowledgeStage
  let kb: string
  beforeAll(async () => {
    service = await rerankServer()
    api = await embeddingServer()
    const env = { ...api.variables, RERANK_URL: service.url, RERANK_TIMEOUT_MS: '500' }
    at = await stageKnowledge({ env, runsJobs: true })
    kb = await at.createBase()
    await at.upsert(kb, [
      { document_id: 'a', chunks: ['fief fief fief'] },
      { document_id: 'b', chunks: ['fief and much else that is said of it'] },
      {
        document_id: 'c',
        chunks: ['a fief, of which more is said here than anywhere else at all'],
      },
    ])
  })
  afterAll(async () => {
    await at.close()
    await service.close()
    await api.close()
  })

  const ids = (data: any) => data.hits.map((hit: any) => hit.document_id)
  const hybrid = async (more: object = {}) => (await at.search([kb], 'fief', more, 'hybrid')).data
  const searchWithoutRerank = () => hybrid({ rerank: false })

  test('a hybrid search has the order and scores of the rerank service', async () => {
    service.behave('reverse')
    const plain = await searchWithoutRerank()
    const data = await hybrid()
    expect(ids(data)).toEqual(ids(plain).reverse())
    expect(data.hits.map((hit: any) => hit.score)).toEqual([0.2, 0.1, 0])
    expect(data.hits[0].matched_by).toEqual(['keyword', 'vector'])
    expect(service.lastRequest()).toMatchObject({ query: 'fief', top_n: 3 })
    expect(data).toMatchObject({ degraded: false, reason: null })
    const outside = await at.post(`${external}/query`, { kb_ids: [kb], query: 'fief' })
    expect(ids(outside.data)).toEqual(ids(data))
  })

  test('paging and min_score apply to the reranked list', async () => {
    service.behave('reverse')
    const all = ids(await hybrid())
    const paged = [await hybrid({ top_k: 2 }), await hybrid({ top_k: 2, offset: 2 })].flatMap(ids)
    expect(paged).toEqual(all)
    expect(ids(await hybrid({ min_score: 0.1 }))).toEqual(all.slice(0, 2))
  })

  test('keyword searches and searches without candidates do not depend on the rerank service', async () => {
    service.behave('error')
    const keyword = await at.search([kb], 'fief')
    expect(keyword.data).toMatchObject({ degraded: false, reason: null })
    expect((await hybrid({ filters: { document_ids: [] } })).hits).toEqual([])
  })

  describe('that fails', () => {
    // A successful request before each test keeps the circuit closed, so every test sends a request.
    beforeEach(async () => {
      service.behave('reverse')
      await hybrid()
    })

    test.each(['error', 'garbage', 'hang', 'duplicate', 'outside'] as const)(
      'if the rerank service fails with %s, the fused order is kept and degraded is set',
      async (behaviour) => {
        const plain = await searchWithoutRerank()
        service.behave(behaviour)
        const data = await hybrid()
        expect(data.hits).toEqual(plain.hits)
        expect(data).toMatchObject({ degraded: true, reason: 'rerank_unavailable' })
        expect(service.lastRequest()).toMatchObject({ query: 'fief' })
      },
    )

    test('an unreachable rerank service makes health DEGRADED with status 200', async () => {
      const off = await stageKnowledge({ env: { RERANK_URL: 'http://127.0.0.1:1/rerank' } })
      const health = await off.fetch(new Request('http://test/api/v1/internal/actuator/health'))
      expect([health.status, await health.json()]).toMatchObject([
        200,
        { status: 'DEGRADED', components: { rerank: { status: 'DOWN' } } },
      ])
      await off.close()
    })
  })
})
