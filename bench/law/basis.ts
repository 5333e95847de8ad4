import { buildArticleIndex } from '../search/article-index.ts'
import { splitFolds } from '../search/folds.ts'
import { articleId } from '../search/laws-in-force.ts'
import { folds, importWords } from '../search/lay-words.ts'
import { makeLearner } from '../search/learn.ts'
import type { Knowledge } from '../search/subject.ts'
import { questionFolds, readTraining, trainingExamples } from '../search/training.ts'
import type { Table } from '../support/results.ts'
import { type BasisQuestion, recallAt } from './questions.ts'
import { joinQuestions } from './stories.ts'

const modes = ['keyword-search', 'graph-rag-search'] as const

/**
 * Measures the search for the articles that an answer rests on, by cross-validation: the lay words of each
 * fold are learned without its questions.
 */
export async function basisTable(subject: Knowledge): Promise<Table> {
  const head = ['searched for', 'search', 'recall@10', 'recall@20', 'recall@50']
  const title = 'Search for the basis of an answer'
  const training = readTraining()
  if (typeof training === 'string') return { title, head, rows: [], notes: [training] }
  const learner = makeLearner(buildArticleIndex(training.articles), trainingExamples(training))
  const questions = measureSet()
  const stories = measureSet()
  const tests = splitFolds(training.basis, folds).map(({ test }) => test)
  for (const [fold, excluded] of questionFolds(training, folds).entries()) {
    await importWords(subject, learner.learn(excluded))
    await questions.ask(subject, tests[fold]!)
    await stories.ask(subject, joinQuestions(tests[fold]!))
  }
  await importWords(subject, [])
  return {
    title,
    head,
    rows: [
      ...questions.rows((count) => `${count} questions and scenes`),
      ...stories.rows((count) => `${count} stories (proxy)`),
    ],
    notes: [
      `Over the laws in force, with lay words and the causes of action of the seed packages. ${folds}-fold cross-validation: lay words are learned without the questions of the tested fold.`,
      'A story joins four questions of a fold to about 250 characters. This is a proxy: case descriptions with their articles are not in the data.',
    ],
  }
}

/** Asks questions in every mode and collects the rankings. */
function measureSet() {
  const asked: BasisQuestion[] = []
  const rankings = new Map(modes.map((mode) => [mode, [] as string[][]]))
  return {
    async ask(subject: Knowledge, questions: readonly BasisQuestion[]) {
      asked.push(...questions)
      for (const mode of modes) {
        for (const { query } of questions) {
          rankings.get(mode)!.push(await rankArticles(subject, mode, query))
        }
      }
    },
    rows: (describe: (count: number) => string) =>
      modes.map((mode, nth) => [
        nth === 0 ? describe(asked.length) : '',
        mode,
        ...[10, 20, 50].map((k) => recallAt(k, asked, rankings.get(mode)!).toFixed(3)),
      ]),
  }
}

async function rankArticles(subject: Knowledge, mode: string, query: string): Promise<string[]> {
  const { hits } = await subject.post(`atomic/${mode}`, { query, top_k: 100 })
  const ids = hits.map((hit: any) => articleId(hit.title, hit.section_id?.split('/').at(-1) ?? ''))
  return [...new Set<string>(ids)]
}
