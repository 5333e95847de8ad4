import type { ServiceContext } from '../../_kit/context.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Reader } from '../base.ts'
import type { Deps } from '../deps.ts'
import { embedQuery } from './query/embed-query.ts'
import { loadSearchScope } from './query/load-scope.ts'
import { type SearchInput, type SearchMode, type SearchScope, today } from './query/request.ts'
import { fuseLists, markMatchedBy } from './rank/fuse.ts'
import { rerankCandidates } from './rank/rerank.ts'
import type { SearchResponse } from './response.ts'
import { retrieve } from './retrieve.ts'

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
  const asOf = request.as_of ?? today()
  const loadScope = async (sql: Sql): Promise<SearchScope> => ({
    ...(await loadSearchScope(sql, caller, request.kb_ids, request.query ?? '')),
    filters,
    asOf,
  })
  const scope = await loadScope(context.sql)

  const { vector, reason } =
    mode === 'keyword' ? { vector: undefined, reason: null } : await embedQuery(context, request)
  // A vector search needs no keyword list; without a vector every mode falls back to keywords.
  const query = vector && mode === 'vector' ? undefined : (request.query ?? '')
  const limit = Math.max(offset + top_k, mode === 'hybrid' ? fusionDepth : 0)
  const model = context.embedder?.model
  const retrieved = await retrieve(context, scope, loadScope, { query, vector, model, limit })

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
