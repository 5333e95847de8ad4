import type { DocumentInfo, LocatedChunk } from '../index/chunk-columns.ts'
import { type LawPrior, type LawPriors, priorBoost } from '../query/priors.ts'
import { byScore, type ScoredChunk } from './scored-chunk.ts'
import { nthLargest } from './top-k.ts'

/** Number of top chunks that are rescored in context. Priors reorder more of them. */
export const contextRescoreDepth = (priors: LawPriors) => (priors.size > 0 ? 2_000 : 500)

/** Weights of the best sibling chunk, of a neighbour, and of the document's citation count. */
const weightsWithoutPriors = { siblingWeight: 0.3, neighbourWeight: 0.1, citationWeight: 0.043 }
/** Priors predict the law better than siblings and citations do. */
const weightsWithPriors = { siblingWeight: 0, neighbourWeight: 0.1, citationWeight: 0.015 }

/** The context that the chunks of a document share. */
interface DocumentContext {
  /** The two best scores, and the scores of the chunks by `chunk_index`. */
  first: number
  second: number
  scores: Map<number, number>
  citations: number
  prior: LawPrior | undefined
}

/**
 * Rescores chunks by their context and returns the best `limit` of them. A chunk gains from high-scoring chunks
 * of its document, from its neighbours, from citations of its document, and from the prior of its law. Priors
 * count only if a predicted law is among the documents.
 */
export function rescoreInContext(
  located: readonly LocatedChunk[],
  priors: LawPriors = new Map(),
  limit = located.length,
): ScoredChunk[] {
  const contexts = documentContexts(located, priors)
  const hasPrior = contexts.some(({ prior }) => prior)
  const { siblingWeight, neighbourWeight, citationWeight } = hasPrior
    ? weightsWithPriors
    : weightsWithoutPriors
  const top = located.reduce((top, { score }) => Math.max(top, score), 0)
  const scores = new Float64Array(located.length)
  for (let index = 0; index < located.length; index++) {
    const { chunk_index, article, score } = located[index]!
    const { first, second, scores: siblings, citations, prior } = contexts[index]!
    const neighbour = Math.max(
      siblings.get(chunk_index - 1) ?? 0,
      siblings.get(chunk_index + 1) ?? 0,
    )
    scores[index] =
      score +
      (siblingWeight * (score === first ? second : first) +
        neighbourWeight * neighbour +
        top * (citationWeight * citations + priorBoost(prior, article)))
  }
  // A prior may be negative, and a score with it.
  const isCut = limit < scores.length
  const least = isCut ? nthLargest(scores.slice(), limit) : Number.NEGATIVE_INFINITY
  const best: ScoredChunk[] = []
  for (let index = 0; index < located.length; index++) {
    if (scores[index]! < least) continue
    const { base, seq } = located[index]!
    best.push({ base, seq, score: scores[index]! })
  }
  return best.sort(byScore).slice(0, limit)
}

/** Context of each chunk; chunks of a document share it. */
function documentContexts(located: readonly LocatedChunk[], priors: LawPriors): DocumentContext[] {
  const documents = new Map<DocumentInfo, DocumentContext>()
  return located.map(({ document, chunk_index, score }) => {
    let own = documents.get(document)
    if (!own) {
      const citations = Math.log1p(document.citation_count)
      const prior = priors.get(document.law)
      own = { first: 0, second: 0, scores: new Map(), citations, prior }
      documents.set(document, own)
    }
    if (score > own.first) {
      own.second = own.first
      own.first = score
    } else if (score > own.second) own.second = score
    own.scores.set(chunk_index, score)
    return own
  })
}
