import type { ServiceContext } from '../../_kit/context.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Reader } from '../base.ts'
import type { Deps } from '../deps.ts'
import { searchQdrant } from '../qdrant/search-qdrant.ts'
import { embedQuery } from './query/embed-query.ts'
import { emptyQuery, expandQuery } from './query/expand.ts'
import { loadSearchScope } from './query/load-scope.ts'
import {
  type RetrievalRequest,
  type SearchInput,
  type SearchMode,
  type SearchScope,
  today,
} from './query/request.ts'
import { fuseLists, markMatchedBy } from './rank/fuse.ts'
import { rerankCandidates } from './rank/rerank.ts'
import type { SearchResponse } from './response.ts'
import { searchKeyword } from './search-keyword.ts'
import { searchVector } from './search-vector.ts'

/** Minimum length of each list before two lists are fused. */
const fusionDepth = 150

/**
 * Runs a search over the bases that the caller may read: load the scope, embed the query, retrieve by
 * keyword and vector, fuse, rerank, cut to the requested page.
 */
export async function runSearch(
  context: ServiceContext<Deps>,
  caller: Reader,
  mode: SearchMode,
  request: SearchInput,
): Promise<SearchResponse> {
  const { filters, offset, top_k, min_score } = request
  const loaded = await loadSearchScope(context.sql, caller, request.kb_ids, request.query ?? '')
  const scope: SearchScope = { ...loaded, filters, asOf: request.as_of ?? today() }

  const { vector, reason } =
    mode === 'keyword' ? { vector: undefined, reason: null } : await embedQuery(context, request)
  // A vector search needs no keyword list; without a vector every mode falls back to keywords.
  const query = vector && mode === 'vector' ? undefined : (request.query ?? '')
  const limit = Math.max(offset + top_k, mode === 'hybrid' ? fusionDepth : 0)
  const model = context.embedder?.model
  const retrieved = await retrieve(context, scope, { query, vector, model, limit })

  const candidates = fuseLists(
    query === undefined ? undefined : markMatchedBy('keyword', retrieved.byKeyword),
    vector && markMatchedBy('vector', retrieved.byVector),
  )
  const ranked =
    mode === 'hybrid' ? await rerankCandidates(context, request, candidates) : { candidates }
  const hits = ranked.candidates
    .filter(({ score }) => min_score === undefined || score >= min_score)
    .slice(offset, offset + top_k)
    .map(({ chunk, score, matched_by }) => ({ ...chunk.hit, score, matched_by }))
  const why = retrieved.failed ? 'search_engine_unavailable' : (reason ?? ranked.reason ?? null)
  return { hits, backend: retrieved.backend, degraded: why !== null, reason: why }
}

/** Retrieves from Qdrant if it is configured, and from the database otherwise or when Qdrant fails. */
async function retrieve(
  context: ServiceContext<Deps>,
  scope: SearchScope,
  request: RetrievalRequest,
) {
  const { qdrant, embedder, kit } = context
  // Qdrant holds vectors of the embedding model only, not vectors that callers supplied.
  if (qdrant && !(request.vector && !embedder)) {
    try {
      const retrieved = await searchQdrant(qdrant, context, scope, request)
      return { ...retrieved, backend: 'qdrant' as const, failed: false }
    } catch (thrown) {
      kit.metrics.count('search_engine_failures_total', {})
      kit.log.warn(errorFields(thrown), 'qdrant search failed, using the database')
      return { ...(await retrieveFromDatabase(context, scope, request)), failed: true }
    }
  }
  return { ...(await retrieveFromDatabase(context, scope, request)), failed: false }
}

async function retrieveFromDatabase(
  context: ServiceContext<Deps>,
  scope: SearchScope,
  { query, vector, limit }: RetrievalRequest,
) {
  const expanded =
    query === undefined ? emptyQuery : await expandQuery(context, query, scope.expansionData)
  const [byKeyword, byVector] = await Promise.all([
    query === undefined ? [] : searchKeyword(context, scope, query, expanded, limit),
    vector ? searchVector(context, scope, vector, expanded, limit) : [],
  ])
  return { byKeyword, byVector, backend: 'database' as const }
}
