import neo4j from 'neo4j-driver'
import type { Sql } from '../../services/_kit/sql/sql.ts'
import { loadDesiredGraph } from '../../services/knowledge/graph/desired-graph.ts'
import { indexedText } from '../../services/knowledge/indexed-text.ts'
import { pointId, sparseVector, sparseVectorName } from '../../services/knowledge/qdrant/point.ts'
import { makeQdrantRequest } from './qdrant.ts'

/** Comparable fields of a Qdrant point: ids, sparse indices, and whether it has a dense vector. */
interface IndexedPoint {
  id: number
  document_id: string
  section_id: string | null
  metadata: unknown
  words: number[]
  meaning: boolean
}

/** Points that Qdrant should contain, computed from the database. */
export async function expectedPoints(sql: Sql): Promise<IndexedPoint[]> {
  const rows = await sql`
    select chunk.base, seq, document_id, section_id, title, content, chunk.metadata,
      chunk.metadata ->> 'heading' as heading,
      exists (select from knowledge.embeddings e where e.hash = chunk.hash and dims > 0) as meaning
    from knowledge.chunks chunk join knowledge.documents using (base, document_id)
    order by base, seq`
  return rows.map((row: any) => ({
    id: pointId(row.base, row.seq),
    document_id: row.document_id,
    section_id: row.section_id,
    metadata: Object.fromEntries(
      Object.entries(row.metadata).map(([name, value]) => [name, [value]]),
    ),
    words: sparseVector(indexedText(row)).indices,
    meaning: row.meaning,
  }))
}

/** Points that Qdrant contains under the search alias. */
export async function readPoints(url: string, alias = 'knowledge_chunks'): Promise<IndexedPoint[]> {
  const scrollRequest = { limit: 100_000, with_payload: true, with_vector: true }
  const page = await makeQdrantRequest(url)(
    'POST',
    `/collections/${alias}/points/scroll`,
    scrollRequest,
  )
  return (page?.points ?? []).map(({ id, payload, vector }: any) => ({
    id,
    document_id: payload.document_id,
    section_id: payload.section_id,
    metadata: payload.metadata,
    words: [...vector[sparseVectorName].indices].sort((a, b) => a - b),
    meaning: Object.keys(vector).length > 1,
  }))
}

interface GraphContent {
  nodes: string[]
  edges: string[]
}

const sortedGraph = (nodes: object[], edges: object[]): GraphContent => ({
  nodes: nodes.map((node) => JSON.stringify(node)).sort(),
  edges: [...new Set(edges.map((edge) => JSON.stringify(edge)))].sort(),
})

/** Nodes and edges that the graph should contain. */
export async function expectedGraph(sql: Sql): Promise<GraphContent> {
  const { nodes, edges } = await loadDesiredGraph(sql)
  return sortedGraph(
    nodes.map(({ id, label, name }) => ({ id, label, name })),
    edges.map(({ from, type, to }) => ({ from, type, to })),
  )
}

/** Nodes and edges that the graph contains. */
export async function readGraph(url: string): Promise<GraphContent> {
  const driver = neo4j.driver(url)
  try {
    const read = async (text: string) =>
      (await driver.executeQuery(text)).records.map((record) => record.toObject())
    return sortedGraph(
      await read('MATCH (n:Knowledge) RETURN n.id AS id, n.label AS label, n.name AS name'),
      await read(
        'MATCH (a:Knowledge)-[e]->(b:Knowledge) RETURN a.id AS from, type(e) AS type, b.id AS to',
      ),
    )
  } finally {
    await driver.close()
  }
}
