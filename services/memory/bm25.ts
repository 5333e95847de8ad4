const k1 = 1.2
const b = 0.75

/** A fact as the ranking sees it: how many words it has, and how often each of the question's. */
export interface Counted {
  length: number
  counts: readonly number[]
}

/** What the ranking knows of all the facts in question. */
export interface Statistics {
  facts: number
  /** How many of them have each of the question's words. */
  having: readonly number[]
  averageLength: number
}

/** Scores facts by BM25. */
export function makeScore({ facts, having, averageLength }: Statistics) {
  const rarities = having.map((n) => Math.log(1 + (Math.max(facts, n) - n + 0.5) / (n + 0.5)))
  return ({ length, counts }: Counted): number => {
    const norm = k1 * (1 - b + (b * length) / averageLength)
    let score = 0
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i]!
      if (count > 0) score += (rarities[i]! * count * (k1 + 1)) / (count + norm)
    }
    return score
  }
}

export const has = (fact: Counted, place: number) => fact.counts[place]! > 0

/** The statistics of some facts. */
export function statisticsOf(facts: readonly Counted[], words: number): Statistics {
  const having = new Array<number>(words).fill(0)
  let length = 0
  for (const fact of facts) {
    length += fact.length
    for (let i = 0; i < words; i++) if (has(fact, i)) having[i]!++
  }
  return { facts: facts.length, having, averageLength: length / (facts.length || 1) }
}
