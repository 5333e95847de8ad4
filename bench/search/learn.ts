import { articleKey } from '../../services/knowledge/law/numerals.ts'
import { type LayWord, sharesOf } from '../../services/knowledge/search/lay-words.ts'
import { ridge, type Sparse } from './learn-ridge.ts'
import type { Texts } from './learn-texts.ts'
import type { Article, Asked } from './statutes.ts'

/** How far questions are trusted: the larger, the less one question alone can tell. */
const lambda = 1
/** What is kept of each word: the weightiest. Words of statutes weigh by `scale` beside the question's. */
const keeping = {
  words: { most: 20, least: 0.1, scale: 8 },
  laws: { most: 6, least: 0.01, scale: 1 },
  articles: { most: 6, least: 0.02, scale: 1 },
}
const digits = 1_000
/** What questions find without, and is no answer: so many articles, and how far words lead from them. */
const wrong = { most: 10, weight: 0.8 }

/**
 * Lay words from questions and the articles that answer them, by ridge regression from the words of a
 * question to the words of its articles, to their laws and to the articles themselves. Words of what a
 * question finds without them, and which is no answer, count for less. What is kept is what each word
 * tells, and no question.
 */
export function learn(texts: Texts, questions: readonly Asked[]): LayWord[] {
  const rows = rowsOf(questions)
  const weights = ridge(rows, lambda)
  const answers = questions.map(({ relevant }) => relevant.map((id) => texts.byId.get(id)!))
  const from = (valuesOf: (articles: Article[]) => Sparse) =>
    foretold(weights, answers.map(valuesOf))
  const said = new Set(answers.flat().flatMap((article) => [...texts.vector(article).keys()]))
  const words = foretold(
    weights,
    questions.map(({ query }, index) => wordsFor(texts, query, answers[index]!, said)),
  )
  const laws = from((articles) => new Map(articles.map(({ law }) => [law, 1])))
  const articles = from((articles) => new Map(articles.flatMap(named)))
  const rarity = rarityOf(questions)
  return Array.from(byWord(rows))
    .map(([word, all]) => ({
      word,
      words: Object.fromEntries(kept(all, words, keeping.words, rarity(word))),
      laws: Object.fromEntries(kept(all, laws, keeping.laws, rarity(word))),
      articles: grouped(kept(all, articles, keeping.articles, rarity(word))),
    }))
    .filter((each) => Object.keys({ ...each.words, ...each.laws, ...each.articles }).length > 0)
    .sort((a, b) => (a.word < b.word ? -1 : 1))
}

/**
 * The words of the answers to a question, less those of articles that its own words find; of these only
 * words that some answer says.
 */
function wordsFor(
  texts: Texts,
  query: string,
  answers: readonly Article[],
  said: ReadonlySet<string>,
): Sparse {
  const others = texts.found(query).filter((article) => !answers.includes(article))
  const words = new Map(meanOf(answers.map(texts.vector)))
  for (const [word, value] of meanOf(others.slice(0, wrong.most).map(texts.vector))) {
    if (said.has(word)) words.set(word, (words.get(word) ?? 0) - wrong.weight * value)
  }
  return words
}

/** An article by its law and its number, where it has one. */
function named({ law, article }: Article): [string, number][] {
  const key = articleKey(article)
  return key === null ? [] : [[`${law}\n${key}`, 1]]
}

function grouped(articles: readonly [string, number][]): LayWord['articles'] {
  const laws: LayWord['articles'] = {}
  for (const [name, weight] of articles) {
    const [law, article] = name.split('\n') as [string, string]
    laws[law] = { ...laws[law], [article]: weight }
  }
  return laws
}

/** Questions as rows: each word by its share, and by how rare it is in questions. */
function rowsOf(questions: readonly Asked[]): Sparse[] {
  const rarity = rarityOf(questions)
  return questions.map(
    ({ query }) =>
      new Map(Array.from(sharesOf(query), ([word, share]) => [word, share * rarity(word)])),
  )
}

function rarityOf(questions: readonly Asked[]) {
  const having = new Map<string, number>()
  for (const { query } of questions) {
    for (const word of sharesOf(query).keys()) having.set(word, (having.get(word) ?? 0) + 1)
  }
  return (word: string) => {
    const n = having.get(word) ?? 0
    return word === '' ? 1 : Math.log(1 + (questions.length - n + 0.5) / (n + 0.5))
  }
}

/** Which rows have a word, with its value there. */
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

function meanOf(vectors: readonly Sparse[]): Sparse {
  const mean = new Map<string, number>()
  for (const vector of vectors) {
    for (const [name, value] of vector) {
      mean.set(name, (mean.get(name) ?? 0) + value / vectors.length)
    }
  }
  return mean
}

interface Foretold {
  names: string[]
  rows: Float64Array[]
}

/** The weights of the rows times their values. */
function foretold(weights: readonly Float64Array[], values: readonly Sparse[]): Foretold {
  const places = new Map<string, number>()
  for (const row of values) {
    for (const name of row.keys()) if (!places.has(name)) places.set(name, places.size)
  }
  const sparse = values.map((row) => Array.from(row, ([name, value]) => [places.get(name)!, value]))
  const rows = weights.map((own) => {
    const sums = new Float64Array(places.size)
    own.forEach((weight, index) => {
      for (const [place, value] of sparse[index]!) sums[place!]! += weight * value!
    })
    return sums
  })
  return { names: [...places.keys()], rows }
}

/** What a word tells by all rows that have it: the weightiest, scaled and rounded. */
function kept(
  all: readonly [number, number][],
  { names, rows }: Foretold,
  { most, least, scale }: { most: number; least: number; scale: number },
  rarity: number,
): [string, number][] {
  const sums = new Float64Array(names.length)
  for (const [index, value] of all) {
    const row = rows[index]!
    for (let place = 0; place < sums.length; place++) sums[place]! += value * row[place]!
  }
  const weighty: [string, number][] = []
  sums.forEach((sum, place) => {
    const weight = sum * scale * rarity
    if (weight >= least) weighty.push([names[place]!, Math.round(weight * digits) / digits])
  })
  return weighty.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, most)
}
