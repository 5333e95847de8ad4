import { CorrespondenceIndex } from '../../services/knowledge/law/correspondence.ts'
import { shortLawKey } from '../../services/knowledge/law/numerals.ts'
import { readBasisQuestions } from '../law/questions.ts'
import { citingSentences } from './citing-sentences.ts'
import { splitFolds } from './folds.ts'
import { readArticlesInForce } from './laws-in-force.ts'
import type { Example } from './learn-features.ts'
import { readSeedExamples } from './seed-examples.ts'
import { type Article, type Corpus, readStatutes, type TestQuestion } from './statutes.ts'

/** Questions and other texts from which lay words are learned, with their articles in force. */
export interface Training {
  /** The articles of the laws in force. */
  articles: Article[]
  /** Questions of laypeople about the statutes, in the order of the corpus. */
  lay: TestQuestion[]
  /** Questions and scenes with the basis of their answer. */
  basis: TestQuestion[]
  /** Texts of the seed packages, and sentences of interpretations that cite other laws. */
  texts: Example[]
}

/** Reads both sets of questions, or returns the reason why there are none. */
export function readTraining(): Training | string {
  const articles = readArticlesInForce()
  const statutes = readStatutes()
  const basis = readBasisQuestions()
  if (typeof articles === 'string') return articles
  if (typeof statutes === 'string') return statutes
  if (typeof basis === 'string') return basis
  return { articles, lay: toArticlesInForce(statutes, articles), basis, texts: readTexts(articles) }
}

function readTexts(articles: readonly Article[]): Example[] {
  const ids = new Set(articles.map(({ id }) => id))
  const isInForce = (id: string) => ids.has(id)
  const seeds = readSeedExamples(isInForce)
  const citing = articles
    .filter(({ interpretation }) => interpretation)
    .flatMap(({ law, text }) =>
      citingSentences(text, (id) => isInForce(id) && !id.startsWith(`${law} `)),
    )
  return [
    ...seeds.map((each) => ({ ...each, kind: 'seed' as const })),
    ...citing.map((each) => ({ ...each, kind: 'citation' as const })),
  ]
}

/**
 * Maps the relevant articles of questions to the articles in force of the same law, by their text: the
 * numbers of older editions differ. Articles of other laws are left out.
 */
export function toArticlesInForce(
  { articles, questions }: Corpus,
  inForce: readonly Article[],
): TestQuestion[] {
  const byId = new Map(articles.map((article) => [article.id, article]))
  const byLaw = Map.groupBy(inForce, ({ law }) => law)
  const indexes = new Map<string, CorrespondenceIndex<string>>()
  const mapped = new Map<string, string[]>()
  const map = (id: string): string[] => {
    const { law: title, text } = byId.get(id)!
    const law = shortLawKey(title)
    const own = byLaw.get(law)
    if (!own) return []
    const index =
      indexes.get(law) ??
      new CorrespondenceIndex(own.map(({ id, text }) => ({ key: id, content: text })))
    indexes.set(law, index)
    const found = index.find(text)
    return found ? [found.key] : []
  }
  return questions.map(({ query, relevant }) => ({
    query,
    relevant: relevant.flatMap((id) => {
      const found = mapped.get(id) ?? map(id)
      mapped.set(id, found)
      return found
    }),
  }))
}

export const trainingExamples = ({ lay, basis, texts }: Training): Example[] => [
  ...lay,
  ...basis,
  ...texts,
]

/** Questions of each fold, of both sets. */
export function questionFolds({ lay, basis }: Training, folds: number): Set<TestQuestion>[] {
  const basisFolds = splitFolds(basis, folds)
  return splitFolds(lay, folds).map(
    ({ test }, fold) => new Set([...test, ...basisFolds[fold]!.test]),
  )
}
