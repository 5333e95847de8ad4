import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  atomic,
  type KnowledgeStage,
  seed,
  stageKnowledge,
} from '../../../tests/support/knowledge.ts'
import { startNeo4j } from '../../../tests/support/neo4j.ts'

const neo4j = await startNeo4j()
if (typeof neo4j === 'string') console.warn(`skipped: ${neo4j}`)

describe.skipIf(typeof neo4j === 'string')('with Neo4j', () => {
  const server = neo4j as Exclude<typeof neo4j, string>
  let at: KnowledgeStage
  beforeAll(async () => {
    at = await stageKnowledge({ env: { NEO4J_URL: server.url, NEO4J_TIMEOUT_MS: '10000' } })
    await at.post(`${seed}/cause-of-action-profiles/import`, {
      profiles: [{ code: 'lending', name: 'Private Lending', aliases: ['unpaid loan'] }],
    })
    const law = (document_id: string, content: string) => ({
      ...{ document_id, doc_type: 'statute', title: `Law ${document_id}`, content },
    })
    await at.post(`${seed}/system-kb-documents/import`, {
      kb: { name: 'sys_laws' },
      documents: [
        law('loans', 'Article 1 A loan is repaid.'),
        law('interest', 'Article 1 Interest on a loan is agreed.'),
        law('ships', 'Article 1 A loan on a ship is a mortgage.'),
      ],
    })
  })
  afterAll(async () => {
    await at.close()
    await server.stop()
  })

  const element = (element_id: string, law: string) => ({
    ...{ element_id, cause_of_action_code: 'lending', name: `Element ${element_id}` },
    legal_basis: [{ law, article: 'Art. 1' }],
  })
  const structured = {
    litigation_elements: [element('e1', 'Law loans'), element('e2', 'Law interest')],
    mappings: [
      { element_id: 'e1', kb_id: 'sys_laws', document_id: 'loans', section_id: 'Article 1' },
      { element_id: 'e2', kb_id: 'sys_laws', document_id: 'interest' },
    ],
    sync_to_neo4j: true,
    source: { package_id: 'p' },
  }
  const send = async (body: object) => (await at.post(`${seed}/structured/import`, body)).data
  const query = async (body: object) => (await at.post(`${atomic}/graph-query`, body)).data
  const idsOf = (answer: any) => answer.nodes.map((node: any) => node.id).sort()

  test('an import is synced, and the same again changes nothing', async () => {
    expect(await send(structured)).toMatchObject({ created: 4, graph: 'synced' })
    const first = await query({ cause_of_action_codes: ['lending'], depth: 3, limit: 100 })
    expect(await send(structured)).toMatchObject({ unchanged: 4, graph: 'synced' })
    const second = await query({ cause_of_action_codes: ['lending'], depth: 3, limit: 100 })
    expect(idsOf(second)).toEqual(idsOf(first))
    expect(second.edges).toHaveLength(first.edges.length)
  })

  test('a query goes as far as it is told', async () => {
    const near = await query({ cause_of_action_codes: ['lending'], depth: 1 })
    expect(near.enabled).toBe(true)
    expect(idsOf(near)).toEqual(['cause:lending', 'element:e1', 'element:e2'])
    expect(near.edges).toContainEqual({
      from: 'cause:lending',
      to: 'element:e1',
      type: 'HAS_ELEMENT',
    })
    const far = await query({ cause_of_action_codes: ['lending'], depth: 2 })
    expect(far.document_ids.sort()).toEqual(['interest', 'loans'])
    const byText = await query({ text: 'What of an UNPAID LOAN?', depth: 1 })
    expect(idsOf(byText)).toContain('cause:lending')
    const byElement = await query({ element_ids: ['e1'], depth: 1 })
    expect(byElement.document_ids).toEqual(['loans'])
    expect(idsOf(byElement)).toContain('article:law loans:1')
    expect(await query({ text: `x' OR 1=1 RETURN n //` })).toMatchObject({ nodes: [] })
    expect(
      (await query({ cause_of_action_codes: ['lending'], depth: 3, limit: 2 })).nodes,
    ).toHaveLength(2)
  })

  test('a search is led by it', async () => {
    const body = { query: 'unpaid loan', kb_ids: ['sys_laws'], depth: 2 }
    const { data } = await at.post(`${atomic}/graph-rag-search`, body)
    expect(data.graph).toMatchObject({ enabled: true, used: true })
    expect(data.graph.seed_document_ids.sort()).toEqual(['interest', 'loans'])
    expect(data.hits.map((hit: any) => hit.document_id).sort()).toEqual(['interest', 'loans'])
  })

  test('what a package no longer holds leaves the graph', async () => {
    const { litigation_elements, ...rest } = structured
    await send({ ...rest, litigation_elements: litigation_elements.slice(0, 1), mappings: [] })
    const { nodes, document_ids } = await query({ cause_of_action_codes: ['lending'], depth: 2 })
    expect(nodes.map((node: any) => node.id)).not.toContain('element:e2')
    expect(document_ids).toEqual([])
  })
})

describe('a graph that does not answer', () => {
  let at: KnowledgeStage
  beforeAll(async () => {
    const env = { NEO4J_URL: 'bolt://127.0.0.1:1', NEO4J_TIMEOUT_MS: '500' }
    at = await stageKnowledge({ env })
  })
  afterAll(() => at.close())

  test('stops nothing', async () => {
    const kb = await at.base()
    await at.upsert(kb, [{ document_id: 'd', chunks: ['escheat'] }])
    const { data } = await at.post(`${atomic}/graph-rag-search`, { kb_ids: [kb], query: 'escheat' })
    expect(data).toMatchObject({
      hits: [{ document_id: 'd' }],
      graph: { enabled: true, used: false },
    })
    const graph = await at.post(`${atomic}/graph-query`, { text: 'x' })
    expect(graph.data).toEqual({ enabled: true, nodes: [], edges: [], document_ids: [] })
    const imported = await at.post(`${seed}/structured/import`, { sync_to_neo4j: true })
    expect([imported.status, imported.data.graph]).toEqual([200, 'failed'])
    const health = await at.fetch(new Request('http://test/api/v1/internal/actuator/health'))
    expect(await health.json()).toMatchObject({
      status: 'DEGRADED',
      components: { graph: { status: 'DOWN' } },
    })
  })

  test('that is switched off is not asked', async () => {
    const env = { NEO4J_URL: 'bolt://127.0.0.1:1', LEGAL_GRAPH_ENABLED: 'false' }
    const off = await stageKnowledge({ env })
    const { data } = await off.post(`${atomic}/graph-query`, { text: 'x' })
    expect(data.enabled).toBe(false)
    await off.close()
  })
})
