import { readFileSync } from 'node:fs'
import type { LayWord } from '../../services/knowledge/search/query/lay-words.ts'
import { buildArticleIndex } from './article-index.ts'
import { splitFolds } from './folds.ts'
import { makeLearner } from './learn.ts'
import { measureQuality } from './quality.ts'
import type { Corpus, TestQuestion } from './statutes.ts'
import type { Knowledge } from './subject.ts'
import { questionFolds, readTraining, type Training, trainingExamples } from './training.ts'

/** Folds of the cross-validation. */
export const folds = 10
const source = { package_id: 'bench' }

type Search = (query: string) => Promise<string[]>

/**
 * Rows of the quality table: searches with and without lay words, for all questions and for those whose
 * articles no other question cites. Lay words are learned from other questions than the tested ones.
 * `without` has the rankings without lay words in the order of the questions.
 */
export async function layWordLines(
  subject: Pick<Knowledge, 'post'>,
  search: Search,
  corpus: Corpus,
  without: readonly string[][],
  name: string,
): Promise<string[][]> {
  const { questions } = corpus
  const training = trainingFor(corpus)
  const learner = makeLearner(buildArticleIndex(training.articles), trainingExamples(training))
  const excluded = questionFolds(training, folds)
  const plain = new Map(questions.map((question, index) => [question, without[index]!]))
  const found = new Map<TestQuestion, string[]>()
  const uncited: TestQuestion[] = []
  for (const [fold, { train, test }] of splitFolds(questions, folds).entries()) {
    await importWords(subject, learner.learn(excluded[fold]))
    const cited = new Set(train.flatMap(({ relevant }) => relevant))
    for (const question of test) {
      found.set(question, await search(question.query))
      if (!question.relevant.some((id) => cited.has(id))) uncited.push(question)
    }
  }
  await importWords(subject, [])
  const line = (
    what: string,
    test: readonly TestQuestion[],
    rankings: Map<TestQuestion, string[]>,
  ) => {
    const { ndcg10, recall100 } = measureQuality(
      test,
      test.map((each) => rankings.get(each)!),
    )
    return [`${name}${what}`, ndcg10.toFixed(3), recall100.toFixed(3)]
  }
  const those = `${uncited.length} questions for articles that no other question cites`
  return [
    line(', lay words learned from the other folds', questions, found),
    line(`, without lay words, ${those}`, uncited, plain),
    line(`, lay words, ${those}`, uncited, found),
  ]
}

/** Both sets of questions, of this one only those of the corpus; without the data the corpus itself. */
function trainingFor({ articles, questions }: Corpus): Training {
  const read = readTraining()
  if (typeof read === 'string') return { articles, lay: questions, basis: [], texts: [] }
  return { ...read, lay: read.lay.slice(0, questions.length) }
}

const shippedFile = new URL(
  '../../seed_packages/knowledge_lay_words/data/lay_words.json',
  import.meta.url,
)

/** Reads the lay words of the seed package. */
export const readShippedWords = (): LayWord[] =>
  JSON.parse(readFileSync(shippedFile, 'utf8')).lay_words

export const importWords = (subject: Pick<Knowledge, 'post'>, lay_words: LayWord[]) =>
  subject.post('seed/lay-words/import', { lay_words, source })
