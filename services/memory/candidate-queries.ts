import {
  containsTerm,
  makeBm25Scorer,
  type Statistics,
  statisticsOf,
  type TermCounts,
} from './bm25.ts'
import { lengthBucket, lengthBuckets } from './terms.ts'

/** A word in no more facts of the sample than this is so rare that the sample can't tell how rare. */
const lowFrequencyCutoff = 3
/** Facts that the rare words may have in all, by what the sample tells. */
const maxRareTermFacts = 1_000
/** Sets of common words that are looked for together. */
const maxTermSets = 8
/** More words of a set would find little else: the commoner ones weigh little. */
const maxTermsPerSet = 3
/** A set that this many facts have in all is not looked for in longer ones. */
const targetMatches = 300
/** Entries of the index that all sets together may walk, by what the sample tells. */
const maxPostingsScanned = 80_000

/** The words, by their places, of which every fact is worth a look: the rarest of the question. */
export function rareTerms(statistics: Statistics, scale: number): number[] {
  const { documentFrequency } = statistics
  let facts = 0
  return [...documentFrequency.keys()]
    .sort((a, b) => documentFrequency[a]! - documentFrequency[b]!)
    .filter((term) => {
      facts += documentFrequency[term]! * scale
      return facts <= maxRareTermFacts || documentFrequency[term]! <= lowFrequencyCutoff
    })
}

/** Words by their places in the question, to be looked for together in facts of one size. */
export interface TermQuery {
  terms: number[]
  bucket: number
}

/**
 * Which common words to look for together, to find facts that rank above those of a sample: the words
 * that its best facts have, in short facts first. One fact of the sample stands for `scale` of them.
 */
export function planTermQueries(
  sample: TermCounts[],
  statistics: Statistics,
  scale: number,
  rare: number[],
): TermQuery[] {
  const byBucket = lengthBuckets.map((): TermCounts[] => [])
  for (const fact of sample) byBucket[lengthBucket(fact.length)]!.push(fact)
  const documentFrequency = byBucket.map(
    (facts) => statisticsOf(facts, statistics.documentFrequency.length).documentFrequency,
  )

  const queries: TermQuery[] = []
  let postingsScanned = 0
  for (const terms of cooccurringTerms(sample, statistics, rare)) {
    let expected = 0
    for (const bucket of lengthBuckets) {
      const postings =
        terms.reduce((sum, term) => sum + documentFrequency[bucket]![term]!, 0) * scale
      if (postingsScanned + postings > maxPostingsScanned) continue
      postingsScanned += postings
      queries.push({ terms, bucket })
      expected += byBucket[bucket]!.filter((fact) => containsAllTerms(fact, terms)).length * scale
      if (expected >= targetMatches) break
    }
  }
  return queries
}

const containsAllTerms = (fact: TermCounts, terms: number[]) =>
  terms.every((term) => containsTerm(fact, term))

/** The words of the best facts in the sample: the rarest of those that are common. */
function cooccurringTerms(
  sample: TermCounts[],
  statistics: Statistics,
  rare: number[],
): number[][] {
  const { documentFrequency } = statistics
  const scoreOf = makeBm25Scorer(statistics)
  const ranked = sample
    .map((fact) => ({ fact, score: scoreOf(fact) }))
    .sort((a, b) => b.score - a.score)
  const sets = new Map<string, number[]>()
  for (const { fact } of ranked) {
    const terms = [...fact.counts.keys()]
      .filter((term) => containsTerm(fact, term) && !rare.includes(term))
      .sort((a, b) => documentFrequency[a]! - documentFrequency[b]! || a - b)
      .slice(0, maxTermsPerSet)
    if (terms.length > 0) sets.set(terms.join(), terms)
    if (sets.size === maxTermSets) break
  }
  return [...sets.values()]
}
