import { queryFeatures } from '../../services/knowledge/search/query/lay-words.ts'
import type { Sparse } from './learn-ridge.ts'
import type { TestQuestion } from './statutes.ts'

/** Weights of examples relative to a question: other texts state the law in words closer to its own. */
const kindWeights = { question: 1, seed: 0.3, citation: 0.1 }

/** A text and the articles that it is about. */
export interface Example extends TestQuestion {
  /** Default: a question. */
  kind?: keyof typeof kindWeights
}

export const isQuestion = ({ kind = 'question' }: Example) => kind === 'question'
export const exampleWeight = ({ kind = 'question' }: Example) => kindWeights[kind]

/**
 * Features of each example, weighted by their inverse document frequency in all examples. `questions` are
 * all questions, also those without an article.
 */
export function featureRows(
  examples: readonly Example[],
  questions: readonly Example[],
  minQuestions: number,
  minTexts: number,
): Sparse[] {
  const idf = makeIdf(examples)
  const frequencies = documentFrequencies(examples)
  const questionFrequencies = documentFrequencies(questions)
  const isLearned = (word: string) => {
    const count = questionFrequencies.get(word) ?? 0
    return count > 0 ? count >= minQuestions : frequencies.get(word)! >= minTexts
  }
  return examples.map(
    ({ query }) =>
      new Map(
        Array.from(queryFeatures(query), ([word, value]): [string, number] => [
          word,
          value * idf(word),
        ]).filter(([word]) => word === '' || isLearned(word)),
      ),
  )
}

function documentFrequencies(examples: readonly Example[]) {
  const frequencies = new Map<string, number>()
  for (const { query } of examples) {
    for (const word of queryFeatures(query).keys()) {
      frequencies.set(word, (frequencies.get(word) ?? 0) + 1)
    }
  }
  return frequencies
}

export function makeIdf(examples: readonly Example[]) {
  const frequencies = documentFrequencies(examples)
  return (word: string) => {
    const n = frequencies.get(word) ?? 0
    return word === '' ? 1 : Math.log(1 + (examples.length - n + 0.5) / (n + 0.5))
  }
}
