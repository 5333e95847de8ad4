import type { SearchDeps } from './deps.ts'
import type { Candidate } from './fetch/candidate.ts'
import { fetchChunksInForce } from './fetch/fetch-chunks.ts'
import { locateChunks } from './index/locate-chunks.ts'
import { loadPostings } from './index/read-postings.ts'
import type { ExpandedQuery } from './query/expand.ts'
import type { LawPriors } from './query/priors.ts'
import { isFiltered, type SearchedBases, type SearchScope } from './query/request.ts'
import { searchTopK } from './rank/bm25.ts'
import { contextRescoreDepth, rescoreInContext } from './rank/context-rescore.ts'
import { rescoreByPhrase } from './rank/phrase-rescore.ts'
import { type Rank, rankAllowed } from './rank/rank-allowed.ts'
import type { ScoredChunk } from './rank/scored-chunk.ts'

/** Number of top candidates that are rescored by phrase; the rest keep their order. */
export const phraseRescoreDepth = 100
/** Candidates fetched beyond the limit, since some may be deleted or out of force. */
export const overfetch = 50

/**
 * Searches chunks by the words of a query, best first: BM25 over the posting lists, context
 * rescoring, fetching, phrase rescoring. Only the posting lists of the query's terms are read.
 */
export async function searchKeyword(
  deps: SearchDeps,
  scope: SearchScope,
  query: string,
  { terms, priors }: ExpandedQuery,
  limit: number,
): Promise<Candidate[]> {
  const { sql, searchCache } = deps
  const postings = await loadPostings(
    sql,
    searchCache,
    scope,
    terms.map(({ id }) => id),
  )
  const fetchSize = Math.max(limit, phraseRescoreDepth) + overfetch
  const depth = Math.max(fetchSize, contextRescoreDepth(priors))
  const rank: Rank = (limit, allowed) => searchTopK(terms, postings, scope, limit, allowed)
  const fetchTop = async (top: readonly ScoredChunk[]) => {
    const scored = await rescoreTop(deps, scope, top, priors, fetchSize)
    return fetchChunksInForce(sql, searchCache, scope, scored)
  }
  const filtered = isFiltered(scope.filters)
  const top = filtered ? await rankAllowed(sql, scope, rank, depth) : await rank(depth)
  let candidates = await fetchTop(top)
  // Too many candidates were deleted or out of force and more exist: rank the allowed chunks only.
  if (!filtered && candidates.length < fetchSize - overfetch && top.length > fetchSize) {
    candidates = await fetchTop(await rankAllowed(sql, scope, rank, depth))
  }
  return rescoreByPhrase(query, candidates, phraseRescoreDepth).slice(0, limit)
}

/** Rescores the top chunks in context and drops deleted ones; the rest keep their order. Returns the best. */
export async function rescoreTop(
  { sql, searchCache }: SearchDeps,
  searched: SearchedBases,
  scored: readonly ScoredChunk[],
  priors: LawPriors,
  limit: number,
): Promise<ScoredChunk[]> {
  const depth = contextRescoreDepth(priors)
  const located = await locateChunks(sql, searchCache, searched, scored.slice(0, depth))
  return [...rescoreInContext(located, priors, limit), ...scored.slice(depth)].slice(0, limit)
}
