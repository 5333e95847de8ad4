import { segmentWords } from '../../services/knowledge/search/index/terms.ts'
import type { Sparse } from './learn-ridge.ts'
import type { Article } from './statutes.ts'

const k1 = 1.2
const b = 0.75
const maxResults = 50

/** Index of the articles for learning: document frequencies and postings. */
export interface ArticleIndex {
  byId: ReadonlyMap<string, Article>
  /** BM25 term weights of an article, normalized to unit length. */
  vector(article: Article): Sparse
  /** Articles found by the terms of the query, best first. */
  search(query: string): Article[]
}

export function buildArticleIndex(articles: readonly Article[]): ArticleIndex {
  const termCounts = new Map(articles.map((article) => [article, countTerms(article)]))
  const postings = new Map<string, Article[]>()
  let total = 0
  for (const [article, { counts, length }] of termCounts) {
    total += length
    for (const word of counts.keys()) {
      const all = postings.get(word)
      if (all) all.push(article)
      else postings.set(word, [article])
    }
  }
  const average = total / articles.length

  function termWeight(article: Article, word: string): number {
    const { counts, length } = termCounts.get(article)!
    const count = counts.get(word)!
    const n = postings.get(word)!.length
    const idf = Math.log(1 + (articles.length - n + 0.5) / (n + 0.5))
    return (idf * count) / (count + k1 * (1 - b + (b * length) / average))
  }

  return {
    byId: new Map(articles.map((article) => [article.id, article])),
    vector: memoize((article) => {
      const words = [...termCounts.get(article)!.counts.keys()]
      const weights = words.map((word): [string, number] => [word, termWeight(article, word)])
      const length = Math.hypot(...weights.map(([, weight]) => weight))
      return new Map(weights.map(([word, weight]) => [word, weight / length]))
    }),
    search: memoize((query) => {
      const scores = new Map<Article, number>()
      for (const word of new Set(segmentWords(query))) {
        for (const article of postings.get(word) ?? []) {
          scores.set(article, (scores.get(article) ?? 0) + termWeight(article, word))
        }
      }
      const best = [...scores].sort((a, b) => b[1] - a[1]).slice(0, maxResults)
      return best.map(([article]) => article)
    }),
  }
}

function countTerms({ law, heading = '', text }: Article) {
  const words = segmentWords(`${law}\n${heading}\n${text}`)
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return { counts, length: words.length }
}

/** Caches results, because every fold needs the same ones. */
function memoize<Key, Result>(find: (key: Key) => Result) {
  const results = new Map<Key, Result>()
  return (key: Key) => {
    const result = results.get(key) ?? find(key)
    results.set(key, result)
    return result
  }
}
