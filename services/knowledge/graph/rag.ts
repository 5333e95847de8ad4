import type { Caller } from '../../_kit/identity.ts'
import { errorFields } from '../../_kit/log.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import type { Deps } from '../deps.ts'
import { type Answer, search } from '../search/answer.ts'
import type { Hit, Question } from '../search/question.ts'
import { type Graph, nothing, type Subgraph } from './graph.ts'

export type RagQuestion = Question & { expand: boolean; depth: number }

/** Documents that the graph may lead to at each step. */
const most = 200

/**
 * The graph names documents to begin with, a hybrid search goes through those, what the graph has near
 * its hits is searched too, and both lists become one. A graph that fails leaves the hybrid search.
 */
export async function graphRag(
  given: ServiceContext<Deps>,
  caller: Pick<Caller, 'organizationId'>,
  { expand, depth, ...question }: RagQuestion,
) {
  const hybrid = (documentIds?: readonly string[]) =>
    search(given, caller, 'hybrid', documentIds ? within(question, documentIds) : question)
  const { graph, kit } = given
  if (!graph) return { ...(await hybrid()), graph: unused(false) }
  try {
    return await led(graph, hybrid, question, expand, depth)
  } catch (thrown) {
    kit.metrics.count('graph_failures_total', {})
    kit.log.warn(errorFields(thrown), 'graph failed')
    return { ...(await hybrid()), graph: unused(true) }
  }
}

const unused = (enabled: boolean) => ({
  ...{ enabled, used: false, nodes: [], edges: [] },
  ...{ seed_document_ids: [], expanded_document_ids: [] },
})

type Hybrid = (documentIds?: readonly string[]) => Promise<Answer>

async function led(
  graph: Graph,
  hybrid: Hybrid,
  question: Question,
  expand: boolean,
  depth: number,
) {
  const seeds = await seedsOf(graph, question, depth)
  // Where the graph names nothing the first search is free; the graph then starts from its hits.
  const first = await hybrid(seeds.length > 0 ? seeds : undefined)
  const around = await contextOf(graph, first.hits, depth)
  const expanded = expand ? fresh(around.document_ids, seeds, first.hits) : []
  const allowed = question.filters.document_ids
  const near = allowed ? expanded.filter((id) => allowed.includes(id)) : expanded
  const second = near.length > 0 ? await hybrid(near) : undefined
  return {
    ...first,
    hits: merged([first.hits, second?.hits ?? []], question.top_k),
    graph: {
      enabled: true,
      used: seeds.length > 0 || around.nodes.length > 0,
      nodes: around.nodes,
      edges: around.edges,
      seed_document_ids: seeds,
      expanded_document_ids: near,
    },
  }
}

/** The documents to begin with: those the filters name, or those the graph knows for the question. */
async function seedsOf(graph: Graph, { query, filters }: Question, depth: number) {
  if (filters.document_ids) return [...filters.document_ids]
  return (await graph.query({ text: query.slice(0, 2_000), depth, limit: most })).document_ids
}

async function contextOf(graph: Graph, hits: readonly Hit[], depth: number): Promise<Subgraph> {
  const document_ids = [...new Set(hits.map(({ document_id }) => document_id))]
  if (document_ids.length === 0) return nothing
  return graph.query({ document_ids, depth, limit: most })
}

function fresh(found: readonly string[], seeds: readonly string[], hits: readonly Hit[]) {
  const known = new Set([...seeds, ...hits.map(({ document_id }) => document_id)])
  return [...new Set(found)].filter((id) => !known.has(id)).slice(0, most)
}

const within = (question: Question, documentIds: readonly string[]): Question => ({
  ...question,
  filters: { ...question.filters, document_ids: [...documentIds] },
})

/** The best of some lists, each chunk once with its best score. */
export function merged(lists: readonly (readonly Hit[])[], most: number): Hit[] {
  const byChunk = new Map<string, Hit>()
  for (const hit of lists.flat()) {
    const key = `${hit.kb_id} ${hit.chunk_index} ${hit.document_id}`
    const before = byChunk.get(key)
    if (!before || before.score < hit.score) byChunk.set(key, hit)
  }
  return [...byChunk.values()].sort((a, b) => b.score - a.score).slice(0, most)
}
