import { errorFields } from '../../_kit/log.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import type { Deps } from '../deps.ts'
import type { Matched } from './fuse.ts'

/** So many of the best are shown to the rerank service, and so much of each. */
const shown = 50
const excerpt = 4_000

interface Ordered {
  list: readonly Matched[]
  reason?: 'rerank_unavailable'
}

/**
 * The best of a list in the order of the rerank service and with its scores, where there is one; the
 * rest follow in their own order, none with a score above those. When it fails the list is as it was.
 */
export async function reranked(
  { rerank, kit }: Pick<ServiceContext<Deps>, 'rerank' | 'kit'>,
  { query, rerank: wanted = true }: { query?: string | undefined; rerank?: boolean | undefined },
  list: readonly Matched[],
): Promise<Ordered> {
  if (!rerank || !wanted || !query || list.length === 0) return { list }
  const best = list.slice(0, shown)
  const texts = best.map(({ row }) => `${row.shown.title}\n${row.shown.content}`.slice(0, excerpt))
  try {
    const order = await rerank.rerank(query, texts, best.length)
    const first = order.map(({ index, score }) => ({ ...best[index]!, score }))
    const lowest = first.at(-1)!.score
    const rest = list.slice(shown).map((each) => ({ ...each, score: Math.min(each.score, lowest) }))
    return { list: [...first, ...rest] }
  } catch (thrown) {
    kit.metrics.count('rerank_failures_total', {})
    kit.log.warn(errorFields(thrown), 'rerank failed')
    return { list, reason: 'rerank_unavailable' }
  }
}
