import type { SearchDeps } from '../deps.ts'
import { locateChunks } from '../index/locate-chunks.ts'
import { type LawPriors, priorBoost } from '../query/priors.ts'
import type { SearchedBases } from '../query/request.ts'
import { byScore, type ScoredChunk } from './scored-chunk.ts'

/** Weight of a prior relative to cosine similarity. */
const priorWeight = 0.4
/** Number of nearest chunks that priors rescore. */
const vectorRescoreDepth = 1_000

/** Number of nearest chunks to fetch. */
export const vectorFetchSize = (priors: LawPriors, limit: number) =>
  priors.size > 0 ? Math.max(limit, vectorRescoreDepth) : limit

/** Adds the priors of laws and articles to the nearest chunks of a vector search. */
export async function rescoreWithPriors(
  { sql, searchCache }: Pick<SearchDeps, 'sql' | 'searchCache'>,
  searched: SearchedBases,
  nearest: readonly ScoredChunk[],
  priors: LawPriors,
): Promise<ScoredChunk[]> {
  if (priors.size === 0) return [...nearest]
  const located = await locateChunks(sql, searchCache, searched, nearest)
  return located
    .map(({ base, seq, score, document, article }) => ({
      base,
      seq,
      score: score + priorWeight * priorBoost(priors.get(document.law), article),
    }))
    .sort(byScore)
}
