import type { ServiceContext } from '../../_kit/context.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Reader } from '../base.ts'
import type { Deps } from '../deps.ts'
import type { SearchRequest } from '../search/query/request.ts'
import type { Hit, SearchResponse } from '../search/response.ts'
import { runSearch } from '../search/run-search.ts'
import { fuseHits, searchStory } from '../story/search-story.ts'
import { emptySubgraph, type Graph, type Subgraph } from './graph.ts'

export type GraphRagRequest = SearchRequest & { expand: boolean; depth: number }

/** Weight of the documents around the hits of a story: related to it, but not found by it. */
const expandedWeight = 0.5

/** Documents that each graph query may return. */
const maxDocuments = 200

/**
 * Searches with the graph: the graph selects seed documents, a hybrid search runs over them, a second
 * one over the documents around its hits, and the hits are merged. Without a graph, or without seed
 * documents, the search is the one for stories.
 */
export async function runGraphRag(
  context: ServiceContext<Deps>,
  caller: Reader,
  { expand, depth, ...request }: GraphRagRequest,
) {
  const hybrid = (documentIds?: readonly string[]) =>
    documentIds
      ? runSearch(context, caller, 'hybrid', withDocuments(request, documentIds))
      : searchStory(context, caller, request)
  const { graph, kit } = context
  if (!graph) return { ...(await hybrid()), graph: unusedGraph(false) }
  try {
    return await searchWithGraph(graph, hybrid, request, expand, depth)
  } catch (thrown) {
    kit.metrics.count('graph_failures_total', {})
    kit.log.warn(errorFields(thrown), 'graph query failed, searching without it')
    return { ...(await hybrid()), graph: unusedGraph(true) }
  }
}

const unusedGraph = (enabled: boolean) => ({
  ...{ enabled, used: false, nodes: [], edges: [] },
  ...{ seed_document_ids: [], expanded_document_ids: [] },
})

type Hybrid = (documentIds?: readonly string[]) => Promise<SearchResponse>

async function searchWithGraph(
  graph: Graph,
  hybrid: Hybrid,
  request: SearchRequest,
  expand: boolean,
  depth: number,
) {
  const seeds = await findSeeds(graph, request, depth)
  // Without seeds the first search is unrestricted and the graph starts from its hits.
  const first = await hybrid(seeds.length > 0 ? seeds : undefined)
  const subgraph = await loadContext(graph, first.hits, depth)
  const expanded = expand ? newDocuments(subgraph.document_ids, seeds, first.hits) : []
  const allowed = request.filters.document_ids
  const expandedIds = allowed ? expanded.filter((id) => allowed.includes(id)) : expanded
  const second = expandedIds.length > 0 ? (await hybrid(expandedIds)).hits : []
  // The scores of a hybrid search are not those of a search for stories.
  const around = seeds.length > 0 ? second : fuseHits([{ hits: second, weight: expandedWeight }])
  return {
    ...first,
    hits: mergeHits([first.hits, around], request.top_k),
    graph: {
      enabled: true,
      used: seeds.length > 0 || subgraph.nodes.length > 0,
      nodes: subgraph.nodes,
      edges: subgraph.edges,
      seed_document_ids: seeds,
      expanded_document_ids: expandedIds,
    },
  }
}

/** Seed documents: those of the filters, or those that the graph finds for the query. */
async function findSeeds(graph: Graph, { query, filters }: SearchRequest, depth: number) {
  if (filters.document_ids) return [...filters.document_ids]
  return (await graph.query({ text: query.slice(0, 2_000), depth, limit: maxDocuments }))
    .document_ids
}

async function loadContext(graph: Graph, hits: readonly Hit[], depth: number): Promise<Subgraph> {
  const document_ids = [...new Set(hits.map(({ document_id }) => document_id))]
  if (document_ids.length === 0) return emptySubgraph
  return graph.query({ document_ids, depth, limit: maxDocuments })
}

function newDocuments(found: readonly string[], seeds: readonly string[], hits: readonly Hit[]) {
  const seen = new Set([...seeds, ...hits.map(({ document_id }) => document_id)])
  return [...new Set(found)].filter((id) => !seen.has(id)).slice(0, maxDocuments)
}

const withDocuments = (request: SearchRequest, documentIds: readonly string[]): SearchRequest => ({
  ...request,
  filters: { ...request.filters, document_ids: [...documentIds] },
})

/** Merges lists; each chunk occurs once with its best score. */
export function mergeHits(lists: readonly (readonly Hit[])[], limit: number): Hit[] {
  const byChunk = new Map<string, Hit>()
  for (const hit of lists.flat()) {
    const key = `${hit.kb_id} ${hit.chunk_index} ${hit.document_id}`
    const before = byChunk.get(key)
    if (!before || before.score < hit.score) byChunk.set(key, hit)
  }
  return [...byChunk.values()].sort((a, b) => b.score - a.score).slice(0, limit)
}
