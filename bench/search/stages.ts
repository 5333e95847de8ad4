import * as z from 'zod'
import { numberArray } from '../../services/_kit/sql/sql.ts'
import { queryTerms } from '../../services/knowledge/search/query/query-terms.ts'
import { formatMs, quantile } from '../support/figures.ts'
import type { Table } from '../support/results.ts'
import { makeBulk } from './bulk.ts'
import type { Subject } from './corpus.ts'
import { openFullText } from './full-text.ts'
import { measureServer, startServer } from './http.ts'
import type { QuestionSet } from './speed.ts'
import { measureTimes } from './speed.ts'
import { benchBase, fill, type Knowledge } from './subject.ts'

/** Measurements at one number of chunks. */
export interface Stage {
  chunks: number
  /** Milliseconds per question: repeated and new over HTTP, and as the first question of a process. */
  warm: number[]
  fresh: number[]
  cold: number[]
  /** Milliseconds of PostgreSQL full-text search, for the questions within its time limit. */
  fullText: number[]
  /** Number of postings that each timed question reads. */
  postings: number[]
}

export const hits = 100
/** Number of questions measured with an empty cache. */
const coldQuestions = 20

const Base = z.object({ no: z.int(), chunks: z.int() })
const Touched = z.object({ postings: z.int().nullable() })

/** Fills the service and the full-text table stage by stage and measures both at each stage. */
export async function openStages(
  url: string,
  subject: Knowledge,
  { articles }: Subject,
  asking: QuestionSet,
  { cacheMebibytes, comparesFullText }: { cacheMebibytes: number; comparesFullText: boolean },
) {
  const { sql } = subject
  const { warmup: before, timed } = asking
  const bulk = makeBulk(url, sql, articles)
  const fullText = comparesFullText ? await openFullText(sql, articles) : undefined
  let rate = 0
  let bulkRate = 0

  async function fillTo(chunks: number) {
    const base = await sql.row(Base)`
      select no, chunks from knowledge.bases where id = ${benchBase}`
    const from = base?.chunks ?? 0
    if (chunks <= articles.length) rate = await fill(subject, articles.slice(from, chunks))
    else bulkRate = await bulk(base!.no, from, chunks)
    await sql.statement('vacuum analyze')
    await fullText?.fillTo(chunks)
  }

  async function countPostings(query: string): Promise<number> {
    const ids = queryTerms(query).map(({ id }) => id)
    const row = await sql.row(Touched)`
      select sum(octet_length(entries)) / 4 as postings
      from knowledge.postings join knowledge.bases using (shard)
      where id = ${benchBase} and term = any(${numberArray(ids, 'int4')})`
    return row!.postings ?? 0
  }

  async function measure(chunks: number, seconds: number): Promise<Stage> {
    const cold = await measureTimes(before.slice(0, coldQuestions), (query) =>
      subject.again().search(query, hits),
    )
    const server = await startServer(url, cacheMebibytes)
    const { fresh, warm } = await measureServer(server, asking, hits)
    await server.stop()
    const own = fullText ? await measureFullText(fullText.search, seconds) : []
    const postings: number[] = []
    for (const query of timed) postings.push(await countPostings(query))
    return { chunks, warm, fresh, cold, fullText: own, postings }
  }

  async function measureFullText(
    search: (query: string, limit: number) => Promise<unknown>,
    seconds: number,
  ) {
    await measureTimes(before.slice(0, 5), (query) => search(query, hits), seconds / 4)
    return measureTimes(timed, (query) => search(query, hits), seconds)
  }

  return { fillTo, measure, fullText, rates: () => ({ rate, bulkRate }) }
}

/** Search time by quartiles of the number of postings read. */
export function costTable(stages: readonly Stage[]): Table {
  const rows = stages.flatMap(({ chunks, warm, postings }) => {
    const order = postings.map((_, index) => index).sort((a, b) => postings[a]! - postings[b]!)
    return [0, 1, 2, 3].map((quarter) => {
      const size = order.length / 4
      const own = order.slice(Math.floor(quarter * size), Math.floor((quarter + 1) * size))
      const [entries, time] = [postings, warm].map((all) =>
        quantile(
          own.map((index) => all[index]!),
          0.5,
        ),
      )
      return [
        quarter === 0 ? chunks.toLocaleString('en-US') : '',
        `${quarter + 1}.`,
        entries!.toLocaleString('en-US'),
        formatMs(time!),
        `${((time! * 1_000_000) / Math.max(1, entries!)).toFixed(1)} ns`,
      ]
    })
  })
  return {
    title: 'Search time by number of postings',
    head: ['chunks', 'quartile', 'postings', 'p50', 'per posting'],
    rows,
    notes: [
      'The same questions in quartiles by number of postings, fewest first; medians. A posting is one term in one chunk. The fixed cost of a search, some milliseconds, is included.',
    ],
  }
}
