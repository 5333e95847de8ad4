import { formatCount, formatMs, quantile } from '../support/figures.ts'
import { makeRandom, type Random } from '../support/random.ts'
import type { Table } from '../support/results.ts'
import { generateQuestion } from './corpus.ts'
import { measureQuality } from './quality.ts'
import { firstUser, makeStore, otherUser } from './store.ts'
import { memoryService, type RecallQuery, type Subject, tsRank } from './subjects.ts'

/** Time limit of one measurement. A slow subject gets fewer queries. */
const maxMeasureMs = 15_000

/** Measures the latency of recall by number of facts and by user. */
export async function measureRecall(server: string, quick: boolean): Promise<Table[]> {
  const sizes = quick ? [1_000, 3_000] : [1_000, 100_000, 1_000_000]
  const questionCount = quick ? 30 : 500
  const baselines = new Map<string, number>()
  const speedRows: string[][] = []
  const qualityRows: string[][] = []
  for (const facts of sizes) {
    const store = await makeStore(server, facts)
    const service = memoryService(store)
    const reference = tsRank(store)
    const shapes = {
      'one user': () => firstUser,
      'others, 1,000 each': (random: Random) => otherUser(random.integerBelow(store.others)),
    }
    for (const [shape, pickUser] of Object.entries(shapes)) {
      const questions = makeQuestions(pickUser, questionCount)
      const times = await measureTimes(service, questions)
      const slowest = quantile(times, 0.99)
      if (!baselines.has(shape)) baselines.set(shape, slowest)
      const growth = `${(slowest / baselines.get(shape)!).toFixed(1)} ×`
      const referenceFigures = figures(await measureTimes(reference, questions))
      speedRows.push([formatCount(facts), shape, ...figures(times), growth, ...referenceFigures])
      if (shape === 'one user' && facts === sizes[1]) {
        const { overlap, score } = await measureQuality(store, service, questions.slice(0, 100))
        qualityRows.push([formatCount(facts), overlap.toFixed(2), score.toFixed(3)])
      }
    }
    await service.close()
    await reference.close()
    await store.drop()
  }
  return [speedTable(speedRows, questionCount), qualityTable(qualityRows)]
}

const figures = (times: number[]) => [quantile(times, 0.5), quantile(times, 0.99)].map(formatMs)

function makeQuestions(pickUser: (random: Random) => string, questionCount: number): RecallQuery[] {
  const random = makeRandom(99)
  return Array.from({ length: questionCount }, () => ({
    user: pickUser(random),
    query: generateQuestion(random),
  }))
}

/** Runs the queries sequentially. The first tenth of the queries or of the time limit is warm-up. */
async function measureTimes({ recall: ask }: Subject, questions: RecallQuery[]): Promise<number[]> {
  const loopStartedAt = performance.now()
  const times: number[] = []
  for (const [n, question] of questions.entries()) {
    const started = performance.now()
    if (started - loopStartedAt > maxMeasureMs && times.length > 0) break
    await ask(question)
    if (n >= questions.length / 10 || started - loopStartedAt > maxMeasureMs / 10) {
      times.push(performance.now() - started)
    }
  }
  return times
}

const speedTable = (rows: string[][], questionCount: number): Table => ({
  title: 'Recall by words',
  head: ['facts', 'asked of', 'p50', 'p99', 'p99 to the first', 'ts_rank p50', 'ts_rank p99'],
  rows,
  notes: [
    'A tenant in which one user has so many facts and, for each 10,000 of them, another has 1,000; all are kept in one table.',
    `Ten facts by ${questionCount} questions of 2 to 12 words, Chinese and English, rare and common, one after another. Beside it PostgreSQL's own \`ts_rank\` of the same words on the same rows, through a GIN index on the \`tsvector\` and an index by user; where it is slow it was asked for ${maxMeasureMs / 1000} s only, and its p99 is the slowest of a few. Goal: a p99 at 1,000,000 facts of at most ten times that at 1,000.`,
  ],
})

const qualityTable = (rows: string[][]): Table => ({
  title: 'Recall beside BM25 over every fact',
  head: ['facts of one user', 'of the ten best, found', 'their score, of the best possible'],
  rows,
  notes: [
    'Of more than 1,024 facts not every one is scored. Means over 100 of the questions; where many facts are equally good, which ten are found matters little, and the score says how little.',
  ],
})
