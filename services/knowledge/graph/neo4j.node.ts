import neo4j from 'neo4j-driver'
import * as z from 'zod'
import {
  type DesiredGraph,
  emptySubgraph,
  type Graph,
  type GraphQuery,
  type Subgraph,
} from './graph.ts'
import { syncToNeo4j } from './sync-neo4j.ts'

interface Config {
  url: string
  user: string
  password: string | undefined
  database: string
  timeoutMs: number
}

/** Fixed query texts; client input is passed as parameters only. */
const findStarts = `
  MATCH (start:Knowledge)
  WHERE start.id IN $ids
    OR start:Document AND start.document_id IN $documentIds
    OR (start:CauseOfAction OR start:Law) AND any(name IN start.names WHERE $text CONTAINS name)
  RETURN start.id AS id LIMIT $limit`

/** Cypher takes no parameter for a path length, so each depth has its own text. */
const expandByDepth = [1, 2, 3].map(
  (depth) => `
  MATCH (start:Knowledge) WHERE start.id IN $ids
  CALL { WITH start MATCH (start)-[*0..${depth}]-(near:Knowledge) RETURN DISTINCT near LIMIT $limit }
  WITH collect(DISTINCT near)[0..$limit] AS nodes
  UNWIND nodes AS node
  OPTIONAL MATCH (node)-[edge]->(other) WHERE other IN nodes
  RETURN node {.*} AS node, collect([type(edge), other.id]) AS edges`,
)

const NodeRow = z.object({
  node: z.looseObject({ id: z.string(), label: z.string(), name: z.string() }),
  edges: z.array(z.tuple([z.string().nullable(), z.string().nullable()])),
})

export function neo4jGraph({ url, user, password, database, timeoutMs }: Config): Graph {
  const auth = password === undefined ? undefined : neo4j.auth.basic(user, password)
  const driver = neo4j.driver(url, auth, {
    connectionTimeout: timeoutMs,
    connectionAcquisitionTimeout: timeoutMs,
    maxTransactionRetryTime: timeoutMs,
    disableLosslessIntegers: true,
  })

  async function execute(text: string, parameters: object, timeout: number) {
    const session = driver.session({ database })
    try {
      const { records } = await session.executeWrite((tx) => tx.run(text, parameters), { timeout })
      return records.map((record) => record.toObject() as Record<string, unknown>)
    } finally {
      await session.close()
    }
  }

  const run = (text: string, parameters: object, deadlineMs = timeoutMs) =>
    withDeadline(deadlineMs, execute(text, parameters, deadlineMs))

  async function query(request: GraphQuery): Promise<Subgraph> {
    const limit = neo4j.int(request.limit)
    const ids = [
      ...(request.cause_of_action_codes ?? []).map((code) => `cause:${code}`),
      ...(request.element_ids ?? []).map((id) => `element:${id}`),
    ]
    const documentIds = request.document_ids ?? []
    const text = (request.text ?? '').toLowerCase()
    const starts = await run(findStarts, { ids, documentIds, text, limit })
    if (starts.length === 0) return emptySubgraph
    const found = starts.map(({ id }) => id)
    return subgraph(await run(expandByDepth[request.depth - 1]!, { ids: found, limit }))
  }

  async function sync(desired: DesiredGraph) {
    // A short probe first: a sync may take longer than the query timeout.
    await run('RETURN 1', {})
    return syncToNeo4j((text, parameters) => run(text, parameters, 15_000), desired)
  }

  return {
    query,
    sync,
    check: () => driver.verifyConnectivity({ database }),
    close: () => driver.close(),
  }
}

/** The driver has no timeout for a server that stops in the middle of a response. */
function withDeadline<T>(deadlineMs: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${deadlineMs} ms`)), deadlineMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

function subgraph(rows: readonly unknown[]): Subgraph {
  const parsed = z.array(NodeRow).parse(rows)
  return {
    nodes: parsed.map(({ node: { id, label, name, hash, names, ...properties } }) => ({
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
