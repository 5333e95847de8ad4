import type { ServiceContext } from '../../../_kit/context.ts'
import { errorFields } from '../../../_kit/log.ts'
import type { Deps } from '../../deps.ts'
import type { MatchedCandidate } from './fuse.ts'

/** Number of candidates sent to the rerank service, and characters of each. */
const rerankDepth = 50
const maxExcerptLength = 4_000

interface RerankResult {
  candidates: readonly MatchedCandidate[]
  reason?: 'rerank_unavailable'
}

/**
 * Reorders the best candidates by the rerank service and takes its scores. The rest follow in their
 * order with scores no higher than the last reranked one. On failure the list is unchanged.
 */
export async function rerankCandidates(
  { rerank, kit }: Pick<ServiceContext<Deps>, 'rerank' | 'kit'>,
  { query, rerank: enabled = true }: { query?: string | undefined; rerank?: boolean | undefined },
  candidates: readonly MatchedCandidate[],
): Promise<RerankResult> {
  if (!rerank || !enabled || !query || candidates.length === 0) return { candidates }
  const best = candidates.slice(0, rerankDepth)
  const excerpts = best.map(({ chunk: { hit } }) =>
    `${hit.title}\n${hit.content}`.slice(0, maxExcerptLength),
  )
  try {
    const order = await rerank.rerank(query, excerpts, best.length)
    const reranked = order.map(({ index, score }) => ({ ...best[index]!, score }))
    const lowest = reranked.at(-1)!.score
    const rest = candidates
      .slice(rerankDepth)
      .map((each) => ({ ...each, score: Math.min(each.score, lowest) }))
    return { candidates: [...reranked, ...rest] }
  } catch (thrown) {
    kit.metrics.count('rerank_failures_total', {})
    kit.log.warn(errorFields(thrown), 'rerank failed')
    return { candidates, reason: 'rerank_unavailable' }
  }
}
