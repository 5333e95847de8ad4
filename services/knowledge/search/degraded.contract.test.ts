import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  atomic,
  external,
  type KnowledgeStage,
  stageKnowledge,
} from '../../../tests/support/knowledge.ts'
import { searchBackends } from '../../../tests/support/qdrant.ts'

const { backends, stop } = await searchBackends()
afterAll(stop)

describe.each(backends)('with $name', ({ backend, env }) => {
  let at: KnowledgeStage
  beforeAll(async () => {
    at = await stageKnowledge({ env, runsJobs: backend === 'qdrant' })
  })
  afterAll(() => at.close())

  describe('without embeddings', () => {
    test.each(['vector', 'hybrid'])(
      '%s-search without embeddings falls back to keyword search and sets degraded',
      async (mode) => {
        const kb = await at.createBase()
        await at.upsert(kb, [{ document_id: 'd', chunks: ['usufruct'] }])
        const { data } = await at.search([kb], 'usufruct', {}, mode)
        expect(data).toMatchObject({
          hits: [{ document_id: 'd', matched_by: ['keyword'] }],
          backend,
          degraded: true,
          reason: 'embedding_not_configured',
        })
      },
    )

    test('the external query endpoint returns the results of the hybrid search', async () => {
      const kb = await at.createBase()
      await at.upsert(kb, [{ document_id: 'd', chunks: ['chattel'] }])
      const { data } = await at.post(`${external}/query`, { kb_ids: [kb], query: 'chattel' })
      expect(data).toMatchObject({ hits: [{ document_id: 'd' }], degraded: true })
    })

    test('vectors supplied with their chunks are found by a query vector', async () => {
      const kb = await at.createBase()
      await at.upsert(kb, [
        { document_id: 'north', chunks: [{ content: 'n', embedding: [0, 1, 0.1] }] },
        { document_id: 'east', chunks: [{ content: 'e', embedding: [1, 0, 0.1] }] },
        { document_id: 'none', chunks: ['x'] },
      ])
      const search = (more: object) => at.post(`${atomic}/vector-search`, { kb_ids: [kb], ...more })
      const { data } = await search({ vector: [0.2, 2, 0] })
      expect(data).toMatchObject({ degraded: false, reason: null })
      expect(data.hits.map((hit: any) => [hit.document_id, hit.matched_by])).toEqual([
        ['north', ['vector']],
        ['east', ['vector']],
      ])
      expect(data.hits[0].score).toBeCloseTo(0.99, 2)
      const other = await search({ vector: [1, 2] })
      expect(other.data.hits).toEqual([])
      expect((await search({})).status).toBe(400)
    })
  })

  describe('graph-query and graph-rag-search without a graph', () => {
    test('without a graph, graph-query returns nothing and graph-rag-search the hybrid results', async () => {
      const kb = await at.createBase()
      await at.upsert(kb, [{ document_id: 'd', chunks: ['replevin'] }])
      const graph = await at.post(`${atomic}/graph-query`, { text: 'replevin' })
      expect(graph.data).toEqual({ enabled: false, nodes: [], edges: [], document_ids: [] })
      const rag = await at.post(`${atomic}/graph-rag-search`, { kb_ids: [kb], query: 'replevin' })
      expect(rag.data).toMatchObject({
        hits: [{ document_id: 'd' }],
        reason: 'embedding_not_configured',
        graph: {
          enabled: false,
          used: false,
          nodes: [],
          edges: [],
          seed_document_ids: [],
          expanded_document_ids: [],
        },
      })
    })
  })
})
