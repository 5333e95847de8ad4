import { articleKey } from '../../services/knowledge/law/numerals.ts'
import type { LayWord } from '../../services/knowledge/search/query/lay-words.ts'
import type { ArticleIndex } from './article-index.ts'
import { type Example, exampleWeight, featureRows, isQuestion, makeIdf } from './learn-features.ts'
import { ridge, type Sparse, withoutRows } from './learn-ridge.ts'
import type { Article } from './statutes.ts'

/** Ridge regularization. A larger value reduces the influence of a single example. */
const lambda = 1
/** Limits per lay word: at most `max` weights of at least `min`, after multiplication by `scale`. */
const limits = {
  words: { max: 20, min: 0.1, scale: 8 },
  laws: { max: 6, min: 0.01, scale: 1 },
  articles: { max: 6, min: 0.02, scale: 1 },
}
const digits = 1_000

interface LearnOptions {
  /** Words of fewer questions are not learned: they would identify a question. Default: 2. */
  minQuestions?: number
  /** Words of no question and of fewer texts are not learned: people do not use them. Default: 4. */
  minTexts?: number
}

/** Number of hard negatives per question and the weight with which their words are subtracted. */
const hardNegatives = { max: 10, weight: 0.8 }

/** Learns lay words, from all examples or without some of them. */
interface Learner {
  learn(excluded?: ReadonlySet<Example>): LayWord[]
}

/**
 * Prepares to learn lay words from questions and other texts and the articles that they are about, by ridge
 * regression from the words of a text to the words, laws and articles of its answers. Words of wrong answers
 * that a question finds without lay words (hard negatives) are weighted down. Document frequencies and the
 * vocabulary are those of all examples; nothing else of an excluded example is used.
 */
export function makeLearner(
  texts: ArticleIndex,
  all: readonly Example[],
  { minQuestions = 2, minTexts = 4 }: LearnOptions = {},
): Learner {
  const examples = all.filter(({ relevant }) => relevant.length > 0)
  const rows = featureRows(examples, all.filter(isQuestion), minQuestions, minTexts)
  const idf = makeIdf(examples)
  const inverted = ridge(
    rows,
    examples.map((example) => lambda / exampleWeight(example)),
  )
  const answers = examples.map(({ relevant }) => relevant.map((id) => texts.byId.get(id)!))
  const answerWords = new Set(
    answers.flat().flatMap((article) => [...texts.vector(article).keys()]),
  )
  const targets = {
    words: examples.map((example, index) =>
      targetWords(texts, example, answers[index]!, answerWords),
    ),
    laws: answers.map((articles) => new Map(articles.map(({ law }) => [law, 1]))),
    articles: answers.map((articles) => new Map(articles.flatMap(articleLabel))),
  }
  return {
    learn(excluded = new Set()) {
      const isExcluded = (_: unknown, index: number) => excluded.has(examples[index]!)
      const weights = withoutRows(inverted, [...examples.keys()].filter(isExcluded))
      const words = predictAll(weights, targets.words)
      const laws = predictAll(weights, targets.laws)
      const articles = predictAll(weights, targets.articles)
      return Array.from(byWord(rows))
        .map(([word, all]) => ({
          word,
          // The intercept never retrieves, so it has no words.
          words: word === '' ? {} : topWeights(all, words, limits.words, idf(word)),
          laws: topWeights(all, laws, limits.laws, idf(word)),
          articles: groupByLaw(topWeights(all, articles, limits.articles, idf(word))),
        }))
        .filter((each) => Object.keys({ ...each.words, ...each.laws, ...each.articles }).length > 0)
        .sort((a, b) => (a.word < b.word ? -1 : 1))
    },
  }
}

export const learnLayWords = (
  texts: ArticleIndex,
  examples: readonly Example[],
  options: LearnOptions = {},
): LayWord[] => makeLearner(texts, examples, options).learn()

/**
 * Target of an example: mean word vector of its answers, for a question minus the weighted mean of its hard
 * negatives. Only words in `answerWords` are subtracted.
 */
function targetWords(
  texts: ArticleIndex,
  example: Example,
  answers: readonly Article[],
  answerWords: ReadonlySet<string>,
): Sparse {
  const words = averageVector(answers.map(texts.vector))
  if (!isQuestion(example)) return words
  const negatives = texts.search(example.query).filter((article) => !answers.includes(article))
  for (const [word, value] of averageVector(
    negatives.slice(0, hardNegatives.max).map(texts.vector),
  )) {
    if (answerWords.has(word))
      words.set(word, (words.get(word) ?? 0) - hardNegatives.weight * value)
  }
  return words
}

/** Label of an article by law and number. Empty if the article has no number. */
function articleLabel({ law, article }: Article): [string, number][] {
  const key = articleKey(article)
  return key === null ? [] : [[`${law}\n${key}`, 1]]
}

function groupByLaw(articles: Record<string, number>): LayWord['articles'] {
  const laws: LayWord['articles'] = {}
  for (const [name, weight] of Object.entries(articles)) {
    const [law, article] = name.split('\n') as [string, string]
    laws[law] = { ...laws[law], [article]: weight }
  }
  return laws
}

/** Inverted index: rows and values by word. */
function byWord(rows: readonly Sparse[]) {
  const found = new Map<string, [number, number][]>()
  rows.forEach((row, index) => {
    for (const [word, value] of row) {
      const all = found.get(word)
      if (all) all.push([index, value])
      else found.set(word, [[index, value]])
    }
  })
  return found
}

function averageVector(vectors: readonly Sparse[]): Map<string, number> {
  const mean = new Map<string, number>()
  for (const vector of vectors) {
    for (const [name, value] of vector) {
      mean.set(name, (mean.get(name) ?? 0) + value / vectors.length)
    }
  }
  return mean
}

interface Predictions {
  names: string[]
  rows: Float64Array[]
}

/** Multiplies the weight matrix by the sparse values. */
function predictAll(weights: readonly Float64Array[], values: readonly Sparse[]): Predictions {
  const columns = new Map<string, number>()
  for (const row of values) {
    for (const name of row.keys()) if (!columns.has(name)) columns.set(name, columns.size)
  }
  const sparse = values.map((row) =>
    Array.from(row, ([name, value]) => [columns.get(name)!, value]),
  )
  const rows = weights.map((own) => {
    const sums = new Float64Array(columns.size)
    own.forEach((weight, index) => {
      if (weight === 0) return
      for (const [column, value] of sparse[index]!) sums[column!]! += weight * value!
    })
    return sums
  })
  return { names: [...columns.keys()], rows }
}

/** Predictions of a word over all rows that have it: the largest weights, scaled and rounded. */
function topWeights(
  all: readonly [number, number][],
  { names, rows }: Predictions,
  { max, min, scale }: { max: number; min: number; scale: number },
  idf: number,
): Record<string, number> {
  const sums = new Float64Array(names.length)
  for (const [index, value] of all) {
    const row = rows[index]!
    for (let column = 0; column < sums.length; column++) sums[column]! += value * row[column]!
  }
  const weighty: [string, number][] = []
  sums.forEach((sum, column) => {
    const weight = Math.round(sum * scale * idf * digits) / digits
    if (weight >= min) weighty.push([names[column]!, weight])
  })
  weighty.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  return Object.fromEntries(weighty.slice(0, max))
}
