import { mean } from '../support/figures.ts'
import type { TestQuestion } from './statutes.ts'

export interface Quality {
  ndcg10: number
  recall100: number
}

/** Quality of rankings: nDCG@10 and recall@100. */
export function measureQuality(
  questions: readonly TestQuestion[],
  rankings: readonly string[][],
): Quality {
  const ndcg = questions.map(({ relevant }, index) => {
    const relevantIds = new Set(relevant)
    const gain = rankings[index]!.slice(0, 10).map((id) => (relevantIds.has(id) ? 1 : 0))
    return discountedGain(gain) / discountedGain(relevant.slice(0, 10).map(() => 1))
  })
  const recall = questions.map(({ relevant }, index) => {
    const found = new Set(rankings[index]!.slice(0, 100))
    return relevant.filter((id) => found.has(id)).length / relevant.length
  })
  return { ndcg10: mean(ndcg), recall100: mean(recall) }
}

const discountedGain = (gains: readonly number[]) =>
  gains.reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0)
