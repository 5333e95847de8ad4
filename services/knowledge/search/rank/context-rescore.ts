import type { DocumentInfo, LocatedChunk } from '../index/chunk-columns.ts'
import { type LawPriors, priorBoost } from '../query/priors.ts'
import { byScore, type ScoredChunk } from './scored-chunk.ts'

/** Number of top chunks that are rescored in context. Priors reorder more of them. */
export const contextRescoreDepth = (priors: LawPriors) => (priors.size > 0 ? 2_000 : 500)

/** Weights of the best sibling chunk, of a neighbour, and of the document's citation count. */
const weightsWithoutPriors = { siblingWeight: 0.3, neighbourWeight: 0.1, citationWeight: 0.043 }
/** Priors predict the law better than siblings and citations do. */
const weightsWithPriors = { siblingWeight: 0, neighbourWeight: 0.1, citationWeight: 0.015 }

/** The two best scores of a document, and the scores of its chunks by `chunk_index`. */
interface DocumentScores {
  first: number
  second: number
  scores: Map<number, number>
}

/**
 * Rescores chunks (best first) by their context. A chunk gains from high-scoring chunks of its document,
 * from its neighbours, from citations of its document, and from the prior of its law. Priors count only
 * if a predicted law is among the documents.
 */
export function rescoreInContext(
  located: readonly LocatedChunk[],
  priors: LawPriors = new Map(),
): ScoredChunk[] {
  const hasPrior = located.some(({ document }) => priors.has(document.law))
  const { siblingWeight, neighbourWeight, citationWeight } = hasPrior
    ? weightsWithPriors
    : weightsWithoutPriors
  const top = located[0]?.score ?? 0
  const documents = scoresByDocument(located)
  const rescored = located.map(({ base, seq, document, chunk_index, article, score }) => {
    const { first, second, scores } = documents.get(document)!
    const neighbour = Math.max(scores.get(chunk_index - 1) ?? 0, scores.get(chunk_index + 1) ?? 0)
    const citations = citationWeight * Math.log1p(document.citation_count)
    const boost = priorBoost(priors.get(document.law), article)
    const context =
      siblingWeight * (score === first ? second : first) +
      neighbourWeight * neighbour +
      top * (citations + boost)
    return { base, seq, score: score + context }
  })
  return rescored.sort(byScore)
}

function scoresByDocument(located: readonly LocatedChunk[]) {
  const documents = new Map<DocumentInfo, DocumentScores>()
  for (const { document, chunk_index, score } of located) {
    const own = documents.get(document)
    if (!own) {
      documents.set(document, { first: score, second: 0, scores: new Map([[chunk_index, score]]) })
      continue
    }
    if (own.second === 0) own.second = score
    own.scores.set(chunk_index, score)
  }
  return documents
}
