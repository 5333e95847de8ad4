import type { DocumentHead, Placed } from './heads.ts'
import type { Scored } from './top.ts'

/** What lay words tell of a law: how well the question goes with it, and with its articles by number. */
export interface LawTold {
  fit: number
  articles: ReadonlyMap<string, number>
  /** How well it goes with what stands about an article, by the article's number: from 0 to 1. */
  about: Float64Array
}
/** By name, as it is looked up. */
export type Laws = ReadonlyMap<string, LawTold>

/** So many of the best are seen in their context; the order of the rest stands. */
export const seenOf = (laws: Laws) => (laws.size > 0 ? 2_000 : 500)

/** What the best other chunk of the document adds, a neighbour, and how often others cite the document. */
const unguided = { ofOther: 0.3, ofNeighbour: 0.1, ofCitations: 0.043 }
/** The same where lay words tell which laws are asked of: they know better than the rest of a law. */
const guided = { ofOther: 0, ofNeighbour: 0.1, ofCitations: 0.015 }
/** What a law adds that lay words are sure of, an article, and a place among such articles. */
const ofLaw = 0.25
const ofArticle = 0.25
const ofPlace = 0.1

/** The two best scores of a document, and those of its chunks by their number. */
interface Own {
  first: number
  second: number
  scores: Map<number, number>
}

/**
 * Chunks scored with their context: where a law has one article that answers a question, its others are
 * likelier to, those beside it above all; and a law that others often cite is likelier than one that
 * none does. Those that come in are the best first; `laws` are those that lay words point to.
 */
export function inContext(close: readonly Placed[], laws: Laws = new Map()): Scored[] {
  const { ofOther, ofNeighbour, ofCitations } = laws.size > 0 ? guided : unguided
  const top = close[0]?.score ?? 0
  const documents = new Map<DocumentHead, Own>()
  for (const { document, chunk_index, score } of close) {
    const own = documents.get(document)
    if (!own) {
      documents.set(document, { first: score, second: 0, scores: new Map([[chunk_index, score]]) })
      continue
    }
    if (own.second === 0) own.second = score
    own.scores.set(chunk_index, score)
  }
  const inside = close.map(({ base, seq, document, chunk_index, article, score }) => {
    const { first, second, scores } = documents.get(document)!
    const beside = Math.max(scores.get(chunk_index - 1) ?? 0, scores.get(chunk_index + 1) ?? 0)
    const context =
      ofOther * (score === first ? second : first) +
      ofNeighbour * beside +
      top * (ofCitations * Math.log1p(document.cited) + guidanceTo(laws.get(document.law), article))
    return { base, seq, score: score + context }
  })
  return inside.sort((a, b) => b.score - a.score || a.base - b.base || a.seq - b.seq)
}

/** What lay words add to an article. */
export function guidanceTo(law: LawTold | undefined, article: string | null): number {
  if (!law) return 0
  if (article === null) return ofLaw * law.fit
  const own = law.articles.get(article) ?? 0
  const place = law.about[Number.parseInt(article, 10)] ?? 0
  return ofLaw * law.fit + ofArticle * own + ofPlace * place
}
