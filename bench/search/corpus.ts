import { generateCorpus } from './generated.ts'
import { type Article, type Corpus, readStatutes } from './statutes.ts'

export interface Subject extends Corpus {
  /** Description of the corpus in the results. */
  name: string
}

/** Reads the statutes, or generates laws of random words if they are missing. */
export function readCorpus(quick: boolean): Subject {
  const statutes = readStatutes()
  if (typeof statutes === 'string') {
    console.warn(`generated laws in place of statutes: ${statutes}`)
    return {
      ...generateCorpus(quick ? 4_000 : 40_000, quick ? 60 : 500),
      name: 'generated articles',
    }
  }
  const { articles, questions } = quick ? sampleCorpus(statutes, 8_000, 60) : statutes
  return { articles: byLaw(articles), questions, name: 'articles of statutes' }
}

/** Orders articles so that those of a law are adjacent. */
const byLaw = (articles: readonly Article[]) =>
  [...Map.groupBy(articles, ({ law }) => law).values()].flat()

/** Number of articles of the first complete laws with at least `least` articles in total. */
export function firstLaws(articles: readonly Article[], least: number): number {
  let end = Math.min(least, articles.length)
  while (end < articles.length && articles[end]!.law === articles[end - 1]!.law) end++
  return end
}

/** Sample of `limit` articles that includes the relevant ones of the questions. */
function sampleCorpus(
  { articles, questions }: Corpus,
  limit: number,
  questionCount: number,
): Corpus {
  const chosen = questions.slice(0, questionCount)
  const relevant = new Set(chosen.flatMap(({ relevant }) => relevant))
  const others = articles.filter(({ id }) => !relevant.has(id)).slice(0, limit - relevant.size)
  const ids = new Set([...relevant, ...others.map(({ id }) => id)])
  return { articles: articles.filter(({ id }) => ids.has(id)), questions: chosen }
}

/** Position at which an article is split in two halves. */
export const splitPoint = ({ text }: Article) => text.length >> 1

/**
 * Composition of a chunk beyond the articles: the head of one article and the tail of another. Each round
 * pairs all articles once.
 */
export function mixedChunk(articles: readonly Article[], chunk: number) {
  const round = Math.floor(chunk / articles.length)
  const head = chunk % articles.length
  return { round, head, tail: (head + 7_919 * round) % articles.length }
}
