import neo4j from 'neo4j-driver'
import * as z from 'zod'
import {
  type Graph,
  type GraphQuestion,
  type Label,
  nothing,
  type Subgraph,
  type Whole,
  type WrittenEdge,
} from './graph.ts'

interface Config {
  url: string
  user: string
  password: string | undefined
  database: string
  timeoutMs: number
}

/** Every query is one of these few texts; what clients say goes into parameters. */
const find = `
  MATCH (start:Knowledge)
  WHERE start.id IN $ids
    OR start:Document AND start.document_id IN $documentIds
    OR (start:CauseOfAction OR start:Law) AND any(name IN start.names WHERE $text CONTAINS name)
  RETURN start.id AS id LIMIT $limit`

/** Depth can't be a parameter: there is a text for each. */
const around = [1, 2, 3].map(
  (depth) => `
  MATCH (start:Knowledge) WHERE start.id IN $ids
  CALL { WITH start MATCH (start)-[*0..${depth}]-(near:Knowledge) RETURN DISTINCT near LIMIT $limit }
  WITH collect(DISTINCT near)[0..$limit] AS nodes
  UNWIND nodes AS node
  OPTIONAL MATCH (node)-[edge]->(other) WHERE other IN nodes
  RETURN node {.*} AS node, collect([type(edge), other.id]) AS edges`,
)

const Row = z.object({
  node: z.looseObject({ id: z.string(), label: z.string(), name: z.string() }),
  edges: z.array(z.tuple([z.string().nullable(), z.string().nullable()])),
})

const labels: Label[] = ['CauseOfAction', 'Element', 'Law', 'Article', 'Document', 'Section']
const rowsAtOnce = 2_000

export function neo4jGraph({ url, user, password, database, timeoutMs }: Config): Graph {
  const auth = password === undefined ? undefined : neo4j.auth.basic(user, password)
  const driver = neo4j.driver(url, auth, {
    connectionTimeout: timeoutMs,
    connectionAcquisitionTimeout: timeoutMs,
    maxTransactionRetryTime: timeoutMs,
    disableLosslessIntegers: true,
  })

  async function run(text: string, parameters: object, patienceMs = timeoutMs) {
    const session = driver.session({ database })
    try {
      const work = session.executeWrite((tx) => tx.run(text, parameters), { timeout: patienceMs })
      const { records } = await work
      return records.map((record) => record.toObject() as Record<string, unknown>)
    } finally {
      await session.close()
    }
  }

  async function query(question: GraphQuestion): Promise<Subgraph> {
    const limit = neo4j.int(question.limit)
    const ids = [
      ...(question.cause_of_action_codes ?? []).map((code) => `cause:${code}`),
      ...(question.element_ids ?? []).map((id) => `element:${id}`),
    ]
    const documentIds = question.document_ids ?? []
    const text = (question.text ?? '').toLowerCase()
    const starts = await run(find, { ids, documentIds, text, limit })
    if (starts.length === 0) return nothing
    const found = starts.map(({ id }) => id)
    return subgraph(await run(around[question.depth - 1]!, { ids: found, limit }))
  }

  /** What the last sync did not write again is of no more use. */
  async function sync({ nodes, edges }: Whole) {
    const patienceMs = 60_000
    const generation = crypto.randomUUID()
    const write = async (text: string, rows: readonly object[]) => {
      for (let at = 0; at < rows.length; at += rowsAtOnce) {
        await run(text, { rows: rows.slice(at, at + rowsAtOnce), generation }, patienceMs)
      }
    }
    await run(
      'CREATE CONSTRAINT knowledge_id IF NOT EXISTS FOR (n:Knowledge) REQUIRE n.id IS UNIQUE',
      {},
      patienceMs,
    )
    for (const label of labels) {
      const own = nodes.filter((node) => node.label === label)
      await write(
        `UNWIND $rows AS row MERGE (n:Knowledge {id: row.id})
         SET n = row.properties, n:${label}, n.id = row.id, n.name = row.name, n.label = '${label}',
           n.generation = $generation`,
        own,
      )
    }
    for (const type of new Set(edges.map((edge) => edge.type))) {
      await write(
        edgesOf(type),
        edges.filter((edge) => edge.type === type),
      )
    }
    const old = 'WHERE x.generation IS NULL OR x.generation <> $generation'
    await run(`MATCH (:Knowledge)-[x]->(:Knowledge) ${old} DELETE x`, { generation }, patienceMs)
    await run(`MATCH (x:Knowledge) ${old} DETACH DELETE x`, { generation }, patienceMs)
  }

  return { query, sync, check: () => driver.verifyConnectivity({ database }) }
}

const edgesOf = (type: WrittenEdge['type']) => `
  UNWIND $rows AS row MATCH (a:Knowledge {id: row.from}), (b:Knowledge {id: row.to})
  MERGE (a)-[edge:${type}]->(b) SET edge.generation = $generation`

function subgraph(rows: readonly unknown[]): Subgraph {
  const parsed = z.array(Row).parse(rows)
  return {
    nodes: parsed.map(({ node: { id, label, name, generation, names, ...properties } }) => ({
      ...{ id, label, name, properties },
    })),
    edges: parsed.flatMap(({ node, edges }) =>
      edges.flatMap(([type, to]) => (type && to ? [{ from: node.id, to, type }] : [])),
    ),
    document_ids: parsed.flatMap(({ node }) =>
      node.label === 'Document' && typeof node.document_id === 'string' ? [node.document_id] : [],
    ),
  }
}
