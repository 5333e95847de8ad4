import type { BasisQuestion } from './questions.ts'

/** Questions that a story consists of. */
const questionsPerStory = 4

/**
 * Joins questions to texts of the length of a case description, by the law of their first article. There is
 * no set of case descriptions with their articles: the joined questions are a proxy for it.
 */
export function joinQuestions(questions: readonly BasisQuestion[]): BasisQuestion[] {
  const byLaw = Map.groupBy(questions, ({ relevant }) => relevant[0]!.split(' ')[0]!)
  const ordered = [...byLaw.values()].flat()
  const stories: BasisQuestion[] = []
  for (let at = 0; at + questionsPerStory <= ordered.length; at += questionsPerStory) {
    const own = ordered.slice(at, at + questionsPerStory)
    stories.push({
      query: own.map(({ query }) => query).join(''),
      relevant: [...new Set(own.flatMap(({ relevant }) => relevant))],
    })
  }
  return stories
}
