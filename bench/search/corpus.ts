import { generateCorpus } from './generated.ts'
import { type Article, type Corpus, readStatutes } from './statutes.ts'

export interface Subject extends Corpus {
  /** What it is, for the page. */
  name: string
}

/** Statutes where they are, and otherwise laws made up of words that nobody would say. */
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

/** The articles of a law one after another. */
const byLaw = (articles: readonly Article[]) =>
  [...Map.groupBy(articles, ({ law }) => law).values()].flat()

/** How many articles the first laws have that together have at least so many. */
export function firstLaws(articles: readonly Article[], least: number): number {
  let end = Math.min(least, articles.length)
  while (end < articles.length && articles[end]!.law === articles[end - 1]!.law) end++
  return end
}

/** So many articles, those that the questions want among them. */
function sampleCorpus({ articles, questions }: Corpus, limit: number, asked: number): Corpus {
  const chosen = questions.slice(0, asked)
  const relevant = new Set(chosen.flatMap(({ relevant }) => relevant))
  const others = articles.filter(({ id }) => !relevant.has(id)).slice(0, limit - relevant.size)
  const ids = new Set([...relevant, ...others.map(({ id }) => id)])
  return { articles: articles.filter(({ id }) => ids.has(id)), questions: chosen }
}

/** An article is cut here in two. */
export const splitPoint = ({ text }: Article) => text.length >> 1

/**
 * The chunks beyond the articles: the head of one and the tail of another, in as many rounds as it
 * takes. Says which.
 */
export function mixedChunk(articles: readonly Article[], chunk: number) {
  const round = Math.floor(chunk / articles.length)
  const head = chunk % articles.length
  return { round, head, tail: (head + 7_919 * round) % articles.length }
}
