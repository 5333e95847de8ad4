import * as z from 'zod'
import { canonicalJson, sha256Hex } from '../../_kit/hash.ts'
import type { DesiredEdge, DesiredGraph, DesiredNode } from './graph.ts'

type Run = (text: string, parameters: object) => Promise<Record<string, unknown>[]>

const Node = z.object({ id: z.string(), hash: z.string().nullable() })
const Edge = z.object({ from: z.string(), type: z.string(), to: z.string(), times: z.int() })

const batchSize = 2_000

/** Writes the difference between the desired and the stored graph; returns the number of changes. */
export async function syncToNeo4j(run: Run, { nodes, edges }: DesiredGraph): Promise<number> {
  await run(
    'CREATE CONSTRAINT knowledge_id IF NOT EXISTS FOR (n:Knowledge) REQUIRE n.id IS UNIQUE',
    {},
  )
  const write = async (text: string, rows: readonly unknown[]) => {
    for (let at = 0; at < rows.length; at += batchSize) {
      await run(text, { rows: rows.slice(at, at + batchSize) })
    }
    return rows.length
  }
  const hashed = await Promise.all(nodes.map(withHash))
  let changes = 0

  const stored = z
    .array(Node)
    .parse(await run('MATCH (n:Knowledge) RETURN n.id AS id, n.hash AS hash', {}))
  const hashes = new Map(stored.map(({ id, hash }) => [id, hash]))
  const desiredIds = new Set(nodes.map(({ id }) => id))
  changes += await write(
    'UNWIND $rows AS id MATCH (n:Knowledge {id: id}) DETACH DELETE n',
    [...hashes.keys()].filter((id) => !desiredIds.has(id)),
  )
  const changed = hashed.filter(({ id, hash }) => hashes.get(id) !== hash)
  for (const label of new Set(changed.map((node) => node.label))) {
    changes += await write(
      mergeNodes(label),
      changed.filter((node) => node.label === label),
    )
  }

  const storedEdges = z.array(Edge).parse(await run(allEdges, {}))
  const missing = new Map(edges.map((edge) => [edgeKey(edge), edge]))
  // A duplicate edge is removed with the surplus ones and written again once.
  const extra = storedEdges.filter((edge) => !missing.has(edgeKey(edge)) || edge.times > 1)
  for (const edge of storedEdges) if (edge.times === 1) missing.delete(edgeKey(edge))
  changes += await write(removeEdges, extra)
  const added = [...missing.values()]
  for (const type of new Set(added.map((edge) => edge.type))) {
    changes += await write(
      mergeEdges(type),
      added.filter((edge) => edge.type === type),
    )
  }
  return changes
}

const withHash = async (node: DesiredNode) => ({
  ...node,
  hash: (await sha256Hex(canonicalJson(node))).slice(0, 32),
})

const edgeKey = ({ from, type, to }: Omit<z.infer<typeof Edge>, 'times'>) =>
  JSON.stringify([from, type, to])

const mergeNodes = (label: DesiredNode['label']) => `
  UNWIND $rows AS row MERGE (n:Knowledge {id: row.id})
  SET n = row.properties, n:${label}, n.id = row.id, n.name = row.name, n.label = '${label}',
    n.hash = row.hash`

const allEdges = `
  MATCH (a:Knowledge)-[edge]->(b:Knowledge)
  RETURN a.id AS from, type(edge) AS type, b.id AS to, count(edge) AS times`

const removeEdges = `
  UNWIND $rows AS row
  MATCH (:Knowledge {id: row.from})-[edge]->(:Knowledge {id: row.to}) WHERE type(edge) = row.type
  DELETE edge`

const mergeEdges = (type: DesiredEdge['type']) => `
  UNWIND $rows AS row MATCH (a:Knowledge {id: row.from}), (b:Knowledge {id: row.to})
  MERGE (a)-[:${type}]->(b)`
