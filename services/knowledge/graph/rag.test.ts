import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KnowledgeStage, stageKnowledge } from '../../../tests/support/knowledge.ts'
import { silent } from '../../_kit/log.ts'
import { makeMetrics } from '../../_kit/metrics.ts'
import { makeSearchCache } from '../search/index/cache.ts'
import { SearchRequest } from '../search/query/request.ts'
import type { Graph, GraphQuery, Subgraph } from './graph.ts'
import { mergeHits, runGraphRag } from './rag.ts'

let at: KnowledgeStage
let kb: string
beforeAll(async () => {
  at = await stageKnowledge()
  kb = await at.createBase()
  await at.upsert(kb, [
    { document_id: 'seed', chunks: ['mortgage of land'] },
    { document_id: 'near', chunks: ['mortgage of ships'] },
    { document_id: 'far', chunks: ['mortgage of crops'] },
  ])
})
afterAll(() => at.close())

const node = (id: string) => ({ id, label: 'Document', name: id, properties: {} })
const idle = { sync: async () => 0, check: async () => {}, close: async () => {} }
const makeFakeGraph = (byText: string[], byDocument: string[]) => {
  const queries: GraphQuery[] = []
  const graph: Graph = {
    ...idle,
    async query(question): Promise<Subgraph> {
      queries.push(question)
      const document_ids = question.document_ids ? byDocument : byText
      return { nodes: document_ids.map(node), edges: [], document_ids }
    },
  }
  return { graph, asked: queries }
}

const search = async (graph: Graph | undefined, more: object = {}) => {
  const metrics = makeMetrics()
  const kit = { log: silent, metrics }
  const deps = { sql: at.sql, searchCache: makeSearchCache(8), graph, kit }
  const question = {
    ...SearchRequest.parse({ query: 'mortgage', kb_ids: [kb] }),
    expand: true,
    depth: 1,
  }
  const response = await runGraphRag(
    deps as never,
    { organizationId: 'acme', userType: undefined },
    { ...question, ...more },
  )
  return { ...response, ids: response.hits.map((hit) => hit.document_id).sort(), metrics }
}

describe('graph-rag-search', () => {
  test('a graph search is limited to the seed documents and their neighbours', async () => {
    const { graph, asked: queries } = makeFakeGraph(['seed'], ['seed', 'near'])
    const response = await search(graph)
    expect(response.ids).toEqual(['near', 'seed'])
    expect(response.graph).toMatchObject({
      enabled: true,
      used: true,
      seed_document_ids: ['seed'],
      expanded_document_ids: ['near'],
      nodes: [{ id: 'seed' }, { id: 'near' }],
    })
    expect(queries.map(({ text, document_ids }) => text ?? document_ids)).toEqual([
      'mortgage',
      ['seed'],
    ])
  })

  test('with expand = false only the seed documents are searched', async () => {
    const response = await search(makeFakeGraph(['seed'], ['near']).graph, { expand: false })
    expect(response.ids).toEqual(['seed'])
    expect(response.graph.expanded_document_ids).toEqual([])
  })

  test('documents named by the filters are the seeds and the only documents searched', async () => {
    const filters = { document_ids: ['far'] }
    const response = await search(makeFakeGraph(['seed'], ['near']).graph, { filters })
    expect(response.ids).toEqual(['far'])
    expect(response.graph.seed_document_ids).toEqual(['far'])
  })

  test('if the graph has no match, all documents are searched', async () => {
    const response = await search(makeFakeGraph([], []).graph)
    expect(response.ids).toEqual(['far', 'near', 'seed'])
    expect(response.graph).toMatchObject({ enabled: true, used: false })
  })

  test('documents around the hits of an unrestricted search rank below its best hit', async () => {
    const { graph } = makeFakeGraph([], ['near', 'far'])
    const answer = await search(graph, { query: 'mortgage of land', top_k: 1 })
    expect(answer.graph.expanded_document_ids).toEqual(['near', 'far'])
    expect(answer.ids).toEqual(['seed'])
  })

  test('if the graph fails or is not configured, the result is that of the hybrid search', async () => {
    const failing: Graph = { ...idle, query: () => Promise.reject(new Error('gone')) }
    const failed = await search(failing)
    expect(failed.ids).toEqual(['far', 'near', 'seed'])
    expect(failed.graph).toMatchObject({ enabled: true, used: false })
    expect(failed.metrics.text()).toContain('graph_failures_total 1')
    expect((await search(undefined)).graph).toMatchObject({ enabled: false, used: false })
  })

  test('merged hits contain each chunk once, with its highest score', () => {
    const hit = (document_id: string, score: number) =>
      ({ kb_id: 'k', document_id, chunk_index: 0, score }) as never
    const [first, second] = mergeHits([[hit('a', 1), hit('b', 2)], [hit('a', 3)]], 5)
    expect([first, second]).toMatchObject([
      { document_id: 'a', score: 3 },
      { document_id: 'b', score: 2 },
    ])
  })
})
