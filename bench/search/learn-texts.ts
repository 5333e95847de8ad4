import { wordsIn } from '../../services/knowledge/search/terms.ts'
import type { Sparse } from './learn-ridge.ts'
import type { Article } from './statutes.ts'

const k1 = 1.2
const b = 0.75

/** What learning must know of the articles: how common each word is. */
export interface Texts {
  byId: ReadonlyMap<string, Article>
  /** An article as words with their weights by BM25, of unit length. */
  vector(article: Article): Sparse
}

export function readTexts(articles: readonly Article[]): Texts {
  const having = new Map<string, number>()
  let total = 0
  for (const article of articles) {
    const all = termsIn(article)
    total += all.length
    for (const term of new Set(all)) having.set(term, (having.get(term) ?? 0) + 1)
  }
  const average = total / articles.length
  return {
    byId: new Map(articles.map((article) => [article.id, article])),
    vector(article) {
      const all = termsIn(article)
      const counts = new Map<string, number>()
      for (const term of all) counts.set(term, (counts.get(term) ?? 0) + 1)
      const norm = k1 * (1 - b + (b * all.length) / average)
      const weights = Array.from(counts, ([term, count]): [string, number] => {
        const n = having.get(term)!
        const rarity = Math.log(1 + (articles.length - n + 0.5) / (n + 0.5))
        return [term, (rarity * count) / (count + norm)]
      })
      const length = Math.hypot(...weights.map(([, weight]) => weight))
      return new Map(weights.map(([term, weight]) => [term, weight / length]))
    },
  }
}

const termsIn = ({ law, text }: Article) => wordsIn(`${law}\n${text}`)
