import type { ServiceContext } from '../../_kit/context.ts'
import { loadBases, type Reader } from '../base.ts'
import type { Deps } from '../deps.ts'
import { type SearchRequest, today } from '../search/query/request.ts'
import type { Hit, SearchResponse } from '../search/response.ts'
import { runSearch } from '../search/run-search.ts'
import { findLikelyArticles } from './likely-articles.ts'
import { splitIntoPoints } from './points.ts'

/** Minimum number of hits of each search before the lists are fused. */
const listDepth = 100
const rankConstant = 5
const pointWeight = 0.6
const causeWeight = 0.6
/** Statutes are relevant to more questions than regulations and replies are. */
const statuteBoost = 0.3

/**
 * Searches for the law that applies to a story: the whole text, each of its points, and the articles of the causes
 * of action that it names. The lists are fused by weighted reciprocal rank.
 */
export async function searchStory(
  context: ServiceContext<Deps>,
  caller: Reader,
  request: SearchRequest,
): Promise<SearchResponse> {
  const { query, filters, offset, top_k, min_score, as_of = today() } = request
  const list = { offset: 0, top_k: Math.max(listDepth, offset + top_k), min_score: undefined }
  const textResult = await runSearch(context, caller, 'hybrid', { ...request, ...list })
  const points = await Promise.all(
    splitIntoPoints(query).map((point) =>
      runSearch(context, caller, 'hybrid', { ...request, ...list, query: point, rerank: false }),
    ),
  )
  const bases = await loadBases(context.sql, caller, request.kb_ids)
  const likely = await findLikelyArticles(context.sql, query, bases, filters, as_of)
  const hits = fuseHits([
    { hits: textResult.hits, weight: 1 },
    ...points.map(({ hits }) => ({ hits, weight: pointWeight })),
    { hits: likely, weight: causeWeight },
  ])
  return {
    ...textResult,
    hits: hits
      .filter(({ score }) => min_score === undefined || score >= min_score)
      .slice(offset, offset + top_k),
  }
}

interface WeightedList {
  hits: readonly Hit[]
  weight: number
}

/** Fuses lists by weighted reciprocal rank and prefers statutes. Each chunk occurs once. */
export function fuseHits(lists: readonly WeightedList[]): Hit[] {
  const fused = new Map<string, Hit>()
  for (const { hits, weight } of lists) {
    hits.forEach((hit, rank) => {
      const key = `${hit.kb_id} ${hit.chunk_index} ${hit.document_id}`
      const before = fused.get(key)
      const score = (before?.score ?? 0) + weight / (rankConstant + rank + 1)
      const matched_by = [...new Set([...(before?.matched_by ?? []), ...hit.matched_by])]
      fused.set(key, { ...hit, score, matched_by })
    })
  }
  return Array.from(fused.values(), (hit) =>
    isStatute(hit) ? { ...hit, score: hit.score * (1 + statuteBoost) } : hit,
  ).sort((a, b) => b.score - a.score)
}

const isStatute = ({ title, metadata }: Hit) => metadata.law !== undefined && /法典?$/.test(title)
