const k1 = 1.2
const b = 0.75

/** Length of a fact in tokens and the frequency of each query term in it. */
export interface TermCounts {
  length: number
  counts: readonly number[]
}

export interface Statistics {
  facts: number
  /** Number of facts that contain each query term. */
  documentFrequency: readonly number[]
  averageLength: number
}

export function makeBm25Scorer({ facts, documentFrequency, averageLength }: Statistics) {
  const idf = documentFrequency.map((n) => Math.log(1 + (Math.max(facts, n) - n + 0.5) / (n + 0.5)))
  return ({ length, counts }: TermCounts): number => {
    const norm = k1 * (1 - b + (b * length) / averageLength)
    let score = 0
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i]!
      if (count > 0) score += (idf[i]! * count * (k1 + 1)) / (count + norm)
    }
    return score
  }
}

export const containsTerm = (fact: TermCounts, termIndex: number) => fact.counts[termIndex]! > 0

export function computeStatistics(facts: readonly TermCounts[], termCount: number): Statistics {
  const documentFrequency = new Array<number>(termCount).fill(0)
  let length = 0
  for (const fact of facts) {
    length += fact.length
    for (let i = 0; i < termCount; i++) if (containsTerm(fact, i)) documentFrequency[i]!++
  }
  return { facts: facts.length, documentFrequency, averageLength: length / (facts.length || 1) }
}
