import { articleKey } from '../../services/knowledge/law/numerals.ts'
import { type LayWord, queryFeatures } from '../../services/knowledge/search/query/lay-words.ts'
import type { ArticleIndex } from './article-index.ts'
import { ridge, type Sparse } from './learn-ridge.ts'
import type { Article, TestQuestion } from './statutes.ts'

/** Ridge regularization. A larger value reduces the influence of a single question. */
const lambda = 1
/** Limits per lay word: at most `max` weights of at least `min`, after multiplication by `scale`. */
const limits = {
  words: { max: 20, min: 0.1, scale: 8 },
  laws: { max: 6, min: 0.01, scale: 1 },
  articles: { max: 6, min: 0.02, scale: 1 },
}
const digits = 1_000

interface LearnOptions {
  /** Articles of other laws are not learned. Default: all laws. */
  isInForce?: (law: string) => boolean
  /** Words of fewer questions are not learned: they would identify a question. Default: 2. */
  minQuestions?: number
}

/** Number of hard negatives per question and the weight with which their words are subtracted. */
const hardNegatives = { max: 10, weight: 0.8 }

/**
 * Learns lay words from questions and the articles that answer them, by ridge regression from the words
 * of a question to the words, laws and articles of its answers. Words of wrong answers that the question
 * finds without lay words (hard negatives) are weighted down.
 */
export function learnLayWords(
  texts: ArticleIndex,
  all: readonly TestQuestion[],
  { isInForce = () => true, minQuestions = 2 }: LearnOptions = {},
): LayWord[] {
  const questions = all
    .map(({ query, relevant }) => ({
      query,
      relevant: relevant.filter((id) => isInForce(texts.byId.get(id)!.law)),
    }))
    .filter(({ relevant }) => relevant.length > 0)
  const rows = featureRows(questions, minQuestions)
  const weights = ridge(rows, lambda)
  const answers = questions.map(({ relevant }) => relevant.map((id) => texts.byId.get(id)!))
  const from = (toTargets: (articles: Article[]) => Sparse) =>
    predictAll(weights, answers.map(toTargets))
  const answerWords = new Set(
    answers.flat().flatMap((article) => [...texts.vector(article).keys()]),
  )
  const words = predictAll(
    weights,
    questions.map(({ query }, index) => targetWords(texts, query, answers[index]!, answerWords)),
  )
  const laws = from((articles) => new Map(articles.map(({ law }) => [law, 1])))
  const articles = from((articles) => new Map(articles.flatMap(articleLabel)))
  const idf = makeIdf(questions)
  return Array.from(byWord(rows))
    .map(([word, all]) => ({
      word,
      // The intercept never retrieves, so it has no words.
      words: word === '' ? {} : Object.fromEntries(topWeights(all, words, limits.words, idf(word))),
      laws: Object.fromEntries(topWeights(all, laws, limits.laws, idf(word))),
      articles: groupByLaw(topWeights(all, articles, limits.articles, idf(word))),
    }))
    .filter((each) => Object.keys({ ...each.words, ...each.laws, ...each.articles }).length > 0)
    .sort((a, b) => (a.word < b.word ? -1 : 1))
}

/**
 * Target of a question: mean word vector of its answers minus the weighted mean of its hard negatives.
 * Only words in `answerWords` are subtracted.
 */
function targetWords(
  texts: ArticleIndex,
  query: string,
  answers: readonly Article[],
  answerWords: ReadonlySet<string>,
): Sparse {
  const negatives = texts.search(query).filter((article) => !answers.includes(article))
  const words = new Map(averageVector(answers.map(texts.vector)))
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

function groupByLaw(articles: readonly [string, number][]): LayWord['articles'] {
  const laws: LayWord['articles'] = {}
  for (const [name, weight] of articles) {
    const [law, article] = name.split('\n') as [string, string]
    laws[law] = { ...laws[law], [article]: weight }
  }
  return laws
}

/** Features of each question, weighted by their inverse document frequency in all questions. */
function featureRows(questions: readonly TestQuestion[], minQuestions: number): Sparse[] {
  const idf = makeIdf(questions)
  const frequency = documentFrequencies(questions)
  return questions.map(
    ({ query }) =>
      new Map(
        Array.from(queryFeatures(query), ([word, value]): [string, number] => [
          word,
          value * idf(word),
        ]).filter(([word]) => word === '' || frequency.get(word)! >= minQuestions),
      ),
  )
}

function documentFrequencies(questions: readonly TestQuestion[]) {
  const frequencies = new Map<string, number>()
  for (const { query } of questions) {
    for (const word of queryFeatures(query).keys()) {
      frequencies.set(word, (frequencies.get(word) ?? 0) + 1)
    }
  }
  return frequencies
}

function makeIdf(questions: readonly TestQuestion[]) {
  const frequencies = documentFrequencies(questions)
  return (word: string) => {
    const n = frequencies.get(word) ?? 0
    return word === '' ? 1 : Math.log(1 + (questions.length - n + 0.5) / (n + 0.5))
  }
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

function averageVector(vectors: readonly Sparse[]): Sparse {
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
): [string, number][] {
  const sums = new Float64Array(names.length)
  for (const [index, value] of all) {
    const row = rows[index]!
    for (let column = 0; column < sums.length; column++) sums[column]! += value * row[column]!
  }
  const weighty: [string, number][] = []
  sums.forEach((sum, column) => {
    const weight = sum * scale * idf
    if (weight >= min) weighty.push([names[column]!, Math.round(weight * digits) / digits])
  })
  return weighty.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, max)
}
