import neo4jDriver from 'neo4j-driver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  atomic,
  type KnowledgeStage,
  seed,
  stageKnowledge,
} from '../../../tests/support/knowledge.ts'
import { expectedGraph, readGraph } from '../../../tests/support/knowledge-state.ts'
import { startNeo4j } from '../../../tests/support/neo4j.ts'
import { tcpProxy } from '../../../tests/support/tcp-proxy.ts'

const neo4j = await startNeo4j()
if (typeof neo4j === 'string') console.warn(`skipped: ${neo4j}`)

const law = (document_id: string, content: string) => ({
  ...{ document_id, doc_type: 'statute', title: `Law ${document_id}`, content },
})

async function importLaws(post: KnowledgeStage['post']) {
  await post(`${seed}/cause-of-action-profiles/import`, {
    profiles: [{ code: 'lending', name: 'Private Lending', aliases: ['unpaid loan'] }],
  })
  const kb = 'sys_laws'
  await post(`${seed}/system-kb-documents/import`, {
    kb: { name: kb },
    documents: [
      law('loans', 'Article 1 A loan is repaid.'),
      law('interest', 'Article 1 Interest on a loan is agreed.'),
      law('ships', 'Article 1 A loan on a ship is a mortgage.'),
    ],
  })
  return { kb }
}

describe.skipIf(typeof neo4j === 'string')('with Neo4j', () => {
  const server = neo4j as Exclude<typeof neo4j, string>
  let at: KnowledgeStage
  let way: Awaited<ReturnType<typeof tcpProxy>>
  const startKnowledge = (NEO4J_TIMEOUT_MS: string) => {
    const NEO4J_URL = `bolt://127.0.0.1:${way.port}`
    return stageKnowledge({ env: { NEO4J_URL, NEO4J_TIMEOUT_MS } })
  }
  beforeAll(async () => {
    way = await tcpProxy(Number(new URL(server.url).port))
    at = await startKnowledge('10000')
    await importLaws(at.post)
  })
  afterAll(async () => {
    await at.close()
    await way.close()
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
  const nodeIds = (answer: any) => answer.nodes.map((node: any) => node.id).sort()

  test('an import is synced to Neo4j, and repeating it changes nothing', async () => {
    expect(await send(structured)).toMatchObject({ created: 4, graph: 'synced' })
    const first = await query({ cause_of_action_codes: ['lending'], depth: 3, limit: 100 })
    expect(await send(structured)).toMatchObject({ unchanged: 4, graph: 'synced' })
    const second = await query({ cause_of_action_codes: ['lending'], depth: 3, limit: 100 })
    expect(nodeIds(second)).toEqual(nodeIds(first))
    expect(second.edges).toHaveLength(first.edges.length)
  })

  test('a graph query returns nodes up to the requested depth', async () => {
    const near = await query({ cause_of_action_codes: ['lending'], depth: 1 })
    expect(near.enabled).toBe(true)
    expect(nodeIds(near)).toEqual(['cause:lending', 'element:e1', 'element:e2'])
    expect(near.edges).toContainEqual({
      from: 'cause:lending',
      to: 'element:e1',
      type: 'HAS_ELEMENT',
    })
    const far = await query({ cause_of_action_codes: ['lending'], depth: 2 })
    expect(far.document_ids.sort()).toEqual(['interest', 'loans'])
    const byText = await query({ text: 'What of an UNPAID LOAN?', depth: 1 })
    expect(nodeIds(byText)).toContain('cause:lending')
    const byElement = await query({ element_ids: ['e1'], depth: 1 })
    expect(byElement.document_ids).toEqual(['loans'])
    expect(nodeIds(byElement)).toContain('article:law loans:1')
    expect(await query({ text: `x' OR 1=1 RETURN n //` })).toMatchObject({ nodes: [] })
    expect(
      (await query({ cause_of_action_codes: ['lending'], depth: 3, limit: 2 })).nodes,
    ).toHaveLength(2)
  })

  test('graph-rag-search uses the documents that Neo4j returns as seeds', async () => {
    const body = { query: 'unpaid loan', kb_ids: ['sys_laws'], depth: 2 }
    const { data } = await at.post(`${atomic}/graph-rag-search`, body)
    expect(data.graph).toMatchObject({ enabled: true, used: true })
    expect(data.graph.seed_document_ids.sort()).toEqual(['interest', 'loans'])
    expect(data.hits.map((hit: any) => hit.document_id).sort()).toEqual(['interest', 'loans'])
  })

  test('records removed from a package are deleted from the graph', async () => {
    const { litigation_elements, ...rest } = structured
    await send({ ...rest, litigation_elements: litigation_elements.slice(0, 1), mappings: [] })
    const { nodes, document_ids } = await query({ cause_of_action_codes: ['lending'], depth: 2 })
    expect(nodes.map((node: any) => node.id)).not.toContain('element:e2')
    expect(document_ids).toEqual([])
  })

  const hurry = async () => {
    await at.sql`update knowledge.jobs set run_at = now() where status = 'PENDING'`
    await at.runJobs()
  }
  const isEqual = async () =>
    expect(await readGraph(server.url)).toEqual(await expectedGraph(at.sql))

  test('a document of a system base is added to the graph and removed when it is deleted', async () => {
    const kb = 'sys_laws'
    const source = { package_id: 'late' }
    const importLate = (documents: object[]) =>
      at.post(`${seed}/system-kb-documents/import`, { kb: { name: kb }, documents, source })
    await importLate([law('late', 'A late law.')])
    await hurry()
    await isEqual()
    expect((await query({ document_ids: ['late'] })).document_ids).toEqual(['late'])
    await importLate([])
    await hurry()
    await isEqual()
  })

  test('a sync repairs wrong, missing, stray and duplicate nodes and edges', async () => {
    await send(structured)
    const driver = neo4jDriver.driver(server.url)
    for (const text of [
      "MATCH (n:Knowledge {id: 'element:e1'}) SET n.name = 'wrong', n.hash = 'wrong'",
      "MATCH (n:Knowledge {id: 'element:e2'}) DETACH DELETE n",
      "CREATE (:Knowledge {id: 'stray'})-[:PART_OF]->(:Knowledge {id: 'stray2'})",
      `MATCH (a:Knowledge {id: 'cause:lending'})-[:HAS_ELEMENT]->(b) CREATE (a)-[:HAS_ELEMENT]->(b)`,
    ]) {
      await driver.executeQuery(text)
    }
    await driver.close()
    await send(structured)
    await isEqual()
  })

  test('concurrent syncs leave the graph complete', async () => {
    await Promise.all([send(structured), send(structured), send(structured)])
    await isEqual()
  })

  test.each(['refused', 'silent', 'reset'] as const)(
    'when the connection is %s, searches work without the graph and the graph is synced later',
    async (broken) => {
      const { post, runJobs: settle, sql, close } = await startKnowledge('3000')
      const kb_ids = [(await importLaws(post)).kb]
      const search = async () =>
        (await post(`${atomic}/graph-rag-search`, { query: 'unpaid loan', kb_ids })).data
      const hurry = async () => {
        await sql`update knowledge.jobs set run_at = now() where status = 'PENDING'`
        await settle()
      }
      const importGraph = async () =>
        (await post(`${seed}/structured/import`, structured)).data.graph
      await expect.poll(importGraph, { timeout: 20_000 }).toBe('synced')
      await expect.poll(async () => (await search()).graph.used, { timeout: 20_000 }).toBe(true)

      await way.setMode(broken)
      const { hits, graph } = await search()
      expect([hits.length > 0, graph.enabled, graph.used]).toEqual([true, true, false])
      const response = await post(`${atomic}/graph-query`, { text: 'unpaid loan' })
      expect(response.data).toMatchObject({ enabled: true, nodes: [] })
      expect(await importGraph()).toBe('failed')
      const documents = [law('meanwhile', 'x')]
      await post(`${seed}/system-kb-documents/import`, { kb: { name: 'sys_laws' }, documents })
      await hurry()
      await hurry()

      await way.setMode('open')
      await hurry()
      expect(await readGraph(server.url)).toEqual(await expectedGraph(sql))
      await close()
    },
  )
})

describe('Neo4j unavailable or disabled', () => {
  let at: KnowledgeStage
  beforeAll(async () => {
    const env = { NEO4J_URL: 'bolt://127.0.0.1:1', NEO4J_TIMEOUT_MS: '500' }
    at = await stageKnowledge({ env })
  })
  afterAll(() => at.close())

  test('if Neo4j is unreachable, searches and imports succeed and health is DEGRADED', async () => {
    const kb = await at.createBase()
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
    const metrics = await at.call('GET', '/api/v1/internal/actuator/prometheus')
    expect(metrics.text).toMatch(/^graph_failures_total [1-9]/m)
    const health = await at.fetch(new Request('http://test/api/v1/internal/actuator/health'))
    expect(await health.json()).toMatchObject({
      status: 'DEGRADED',
      components: { graph: { status: 'DOWN' } },
    })
  })

  test('with LEGAL_GRAPH_ENABLED=false a graph query returns enabled = false', async () => {
    const env = { NEO4J_URL: 'bolt://127.0.0.1:1', LEGAL_GRAPH_ENABLED: 'false' }
    const off = await stageKnowledge({ env })
    const { data } = await off.post(`${atomic}/graph-query`, { text: 'x' })
    expect(data.enabled).toBe(false)
    await off.close()
  })
})
