import {
  computeStatistics,
  containsTerm,
  makeBm25Scorer,
  type Statistics,
  type TermCounts,
} from './bm25.ts'
import { lengthBucket, lengthBuckets } from './terms.ts'

/** At or below this sample frequency the document-frequency estimate is unreliable. */
const lowFrequencyCutoff = 3
/** Maximum number of facts with rare terms, estimated from the sample. */
const maxRareTermFacts = 1_000
/** Maximum number of frequent-term sets that are queried. */
const maxTermSets = 8
/** Further terms of a set are more frequent and add little to the score. */
const maxTermsPerSet = 3
/** A set with this many expected matches is not queried in longer facts. */
const targetMatches = 300
/** Maximum number of index entries scanned for all sets, estimated from the sample. */
const maxPostingsScanned = 80_000

/** Selects the query terms whose facts are all fetched: the rarest ones. */
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

/** Query terms, by index, that a fact of one length bucket must all contain. */
export interface TermQuery {
  terms: number[]
  bucket: number
}

/**
 * Plans conjunctive queries for facts that may rank above the sample: the frequent terms of the
 * best-scored sample facts, short facts first. One fact of the sample represents `scale` facts.
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
    (facts) => computeStatistics(facts, statistics.documentFrequency.length).documentFrequency,
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

/** Returns the rarest frequent terms of each of the best-scored sample facts. */
function cooccurringTerms(
  sample: TermCounts[],
  statistics: Statistics,
  rare: number[],
): number[][] {
  const { documentFrequency } = statistics
  const scoreFact = makeBm25Scorer(statistics)
  const ranked = sample
    .map((fact) => ({ fact, score: scoreFact(fact) }))
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
