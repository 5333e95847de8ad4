import { citationsIn } from '../../services/knowledge/law/citations.ts'
import { articleId } from './laws-in-force.ts'
import type { TestQuestion } from './statutes.ts'

/** Shortest sentence that says what the cited articles are about, and the most articles it may cite. */
const minLength = 20
const maxArticles = 3

/**
 * Finds the sentences of a text that cite articles in force, without the citations themselves. Articles for
 * which `isLearned` is false do not count.
 */
export function citingSentences(text: string, isLearned: (id: string) => boolean): TestQuestion[] {
  return text.split(/(?<=[。；;\n])/).flatMap((sentence) => {
    const citations = citationsIn(sentence)
    const ids = citations.map(({ law, article }) => articleId(law, article)).filter(isLearned)
    const relevant = [...new Set(ids)]
    const query = citations
      .toReversed()
      .reduce((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), sentence)
      .replace(/依照|根据|按照|的规定|规定的|[，,]?见(?=[。；;\n]|$)/g, '')
      .trim()
    const isUsable =
      relevant.length > 0 && relevant.length <= maxArticles && query.length >= minLength
    return isUsable ? [{ query, relevant }] : []
  })
}
