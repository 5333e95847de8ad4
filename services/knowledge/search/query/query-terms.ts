import { extractTerms, han, termId } from '../index/terms.ts'

const wordTerm = (word: string) => (word.length > 1 && han.test(word) ? `=${word}` : word)

/** Weights by kind of term: one character is weak evidence, a whole article or case number strong. */
const kindWeights = { character: 0.9, pair: 1, word: 0.5, plain: 1, number: 2 }

export function termWeight(term: string): number {
  if (term.startsWith('=')) return kindWeights.word
  if (/^第.*条|^\(/.test(term)) return kindWeights.number
  if (!han.test(term)) return kindWeights.plain
  return term.length === 1 ? kindWeights.character : kindWeights.pair
}

/** Terms of a query that are searched, the heaviest first. */
const maxTerms = 512

export interface WeightedTerm {
  id: number
  weight: number
}

/** A word that is added to a query. */
export interface Expansion {
  target: string
  weight: number
}

/**
 * Builds the distinct weighted terms of a query. Terms of `aliases` are added where the query lacks
 * them; the weights of `statuteWords` are added to existing ones.
 */
export function queryTerms(
  query: string,
  aliases: readonly Expansion[] = [],
  statuteWords: readonly Expansion[] = [],
): WeightedTerm[] {
  const weights = new Map<number, number>()
  for (const term of extractTerms(query)) {
    // A query that names a law searches for the law, not for texts that cite it.
    if (!term.startsWith('《')) weights.set(termId(term), termWeight(term))
  }
  for (const { target, weight } of aliases) {
    for (const term of extractTerms(target)) {
      const id = termId(term)
      if (!weights.has(id)) weights.set(id, weight * termWeight(term))
    }
  }
  for (const { target, weight } of statuteWords) {
    const id = termId(wordTerm(target))
    weights.set(id, (weights.get(id) ?? 0) + weight)
  }
  return Array.from(weights, ([id, weight]) => ({ id, weight }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, maxTerms)
}
