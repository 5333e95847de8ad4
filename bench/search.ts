import { postgresDriver } from '../services/_kit/sql/postgres.ts'
import { predict, queryFeatures } from '../services/knowledge/search/query/lay-words.ts'
import { startPostgres } from '../tests/support/postgres-server.ts'
import { createDatabase, versions } from './kit/postgres.ts'
import { firstLaws, readCorpus, type Subject } from './search/corpus.ts'
import { measureEmbedded } from './search/http.ts'
import { importsTable } from './search/imports.ts'
import { layWordLines, readShippedWords } from './search/lay-words.ts'
import { hybridLines } from './search/lay-words-hybrid.ts'
import { askLucene, type LuceneStage } from './search/lucene.ts'
import { measureQuality } from './search/quality.ts'
import { formatTimings, type QuestionSet, searchesPerSecond } from './search/speed.ts'
import { costTable, hits, openStages, type Stage } from './search/stages.ts'
import { openKnowledge } from './search/subject.ts'
import { formatCount } from './support/figures.ts'
import type { Results, Table } from './support/results.ts'

/** Memory of the service in MiB. Lucene has 3 GiB and the page cache of the system. */
const memory = 2_048

type Lucene = Map<number, LuceneStage> | string

interface SearchOptions {
  quick: boolean
  /** Measures only the speed, at this number of chunks. */
  chunks?: number
}

interface EmbeddedTimes {
  chunks: number
  warm: number[]
  fresh: number[]
}

/**
 * Compares search with PostgreSQL full-text search and Lucene on questions of laypeople: quality, speed by
 * number of chunks, and import rate.
 */
export async function run({ quick, chunks }: SearchOptions): Promise<Results> {
  const corpus = readCorpus(quick)
  const { articles, questions } = corpus
  const half = Math.ceil(questions.length / 2)
  const queries = questions.map(({ query }) => query)
  const asking = { warmup: queries.slice(0, half), timed: queries.slice(half) }
  const few = firstLaws(articles, quick ? 2_000 : 10_000)
  const more = quick ? [20_000] : [100_000, 1_000_000]
  const server = await startPostgres()
  const url = await createDatabase(server.url)
  const driver = postgresDriver(url, 4)
  try {
    const subject = await openKnowledge(driver, { KNOWLEDGE_SEARCH_CACHE_MB: String(memory) })
    const stages = await openStages(url, subject, corpus, asking, {
      cacheMebibytes: memory,
      comparesFullText: chunks === undefined,
    })
    const measured: Stage[] = []
    const at = async (chunks: number) => {
      await stages.fillTo(chunks)
      measured.push(await stages.measure(chunks, quick ? 5 : 20))
    }
    const expand = makeExpansion()
    const versionsNow = async () => ({ ...(await versions(server.url)), Lucene: '9.12.1' })
    if (chunks !== undefined) {
      if (chunks > articles.length) await stages.fillTo(articles.length)
      await at(chunks)
      const lucene = await askLucene(corpus, asking, expand, hits, [chunks])
      const table = speedTable(measured, lucene, asking, { ...stages.rates(), embedded: undefined })
      return { versions: await versionsNow(), tables: [table, costTable(measured)] }
    }
    await at(few)
    await stages.fillTo(articles.length)
    const imports = await importsTable(url, articles, stages.rates().rate)
    const own = await rankings(queries, (query) => subject.search(query, 100))
    const search = (query: string) => subject.search(query, 100)
    const learned = [
      ...(await layWordLines(subject, search, corpus, own, 'keyword-search')),
      ...(await hybridLines(driver, corpus)),
    ]
    const articleId = (chunk: number) => articles[chunk]!.id
    const peer = await rankings(queries, async (query) =>
      (await stages.fullText!.search(query, 100)).map(articleId),
    )
    measured.push(await stages.measure(articles.length, quick ? 5 : 20))
    const embedded = await measureEmbedded(articles, asking, hits, memory)
    for (const chunks of more) await at(chunks)
    const lucene = await askLucene(corpus, asking, expand, hits, [few, articles.length, ...more])
    const ofLucene =
      typeof lucene === 'string'
        ? lucene
        : queries.map((query) => lucene.get(articles.length)!.results.get(query)!.map(articleId))
    return {
      versions: await versionsNow(),
      tables: [
        qualityTable(corpus, { own, peer, lucene: ofLucene, learned }),
        speedTable(measured, lucene, asking, { ...stages.rates(), embedded }),
        costTable(measured),
        imports,
      ],
    }
  } finally {
    await driver.end()
    await server.stop()
  }
}

/** Returns the weighted words that the bundled lay words add to a query. */
function makeExpansion() {
  const layWords = readShippedWords()
  return (query: string) => {
    const features = queryFeatures(query)
    return predict(
      features,
      layWords.filter(({ word }) => features.has(word)),
    ).words
  }
}

async function rankings(queries: readonly string[], search: (query: string) => Promise<string[]>) {
  const found: string[][] = []
  for (const query of queries) found.push(await search(query))
  return found
}

interface Rankings {
  own: string[][]
  peer: string[][]
  lucene: string[][] | string
  /** Table rows of searches with lay words, measured by cross-validation. */
  learned: string[][]
}

function qualityTable(
  { articles, questions, name }: Subject,
  { own, peer, lucene, learned }: Rankings,
): Table {
  const line = (what: string, found: string[][] | string) => {
    if (typeof found === 'string') return [what, `skipped: ${found}`, '']
    const { ndcg10, recall100 } = measureQuality(questions, found)
    return [what, ndcg10.toFixed(3), recall100.toFixed(3)]
  }
  return {
    title: `${formatCount(articles.length)} ${name}, ${formatCount(questions.length)} questions`,
    head: ['search', 'nDCG@10', 'recall@100'],
    rows: [
      line('PostgreSQL ts_rank, pairs', peer),
      line('Lucene BM25, words and pairs', lucene),
      line('keyword-search', own),
      ...learned,
    ],
    notes: [
      'Term and context weights were tuned on the same questions. Lay words are evaluated by ten-fold cross-validation: learned from nine tenths of the questions and tested on the remaining tenth. Other searches learn nothing from the questions.',
    ],
  }
}

function speedTable(
  stages: readonly Stage[],
  lucene: Lucene,
  { warmup: before, timed }: QuestionSet,
  { bulkRate, embedded }: { bulkRate: number; embedded: EmbeddedTimes | undefined },
): Table {
  const rows = stages.flatMap(({ chunks, warm, fresh, cold, fullText }) => {
    const peer = typeof lucene === 'string' ? undefined : lucene.get(chunks)!.times
    const line = (what: string, times: readonly number[]) => [
      '',
      what,
      formatCount(times.length),
      ...formatTimings(times),
      peer ? (searchesPerSecond(times) / searchesPerSecond(peer)).toFixed(2) : '',
    ]
    const lines = [
      ...(fullText.length > 0 ? [line('PostgreSQL ts_rank', fullText)] : []),
      ...(peer ? [line('Lucene BM25, expanded', peer)] : []),
      line('keyword-search, repeated questions', warm),
      line('keyword-search, new questions', fresh),
      line('keyword-search, cold start', cold),
      ...(embedded?.chunks === chunks
        ? [
            line('keyword-search, embedded, repeated questions', embedded.warm),
            line('keyword-search, embedded, new questions', embedded.fresh),
          ]
        : []),
    ]
    lines[0]![0] = formatCount(chunks)
    return lines
  })
  const why = typeof lucene === 'string' ? [`Lucene was skipped: ${lucene}.`] : []
  return {
    title: 'Sequential searches per second',
    head: ['chunks', 'search', 'asked', 'a second', 'p50', 'p99', 'to Lucene'],
    rows,
    notes: [
      ...why,
      `Each search returns 100 hits. All engines get the same ${formatCount(timed.length)} questions, limited by the time that PostgreSQL full-text search needs. ${formatCount(before.length)} other questions run twice as warm-up. Then the questions are timed once as new and once as repeated. Cold start: each question is the first request of a new service process with a warm database.`,
      `keyword-search runs as a process of its own with the bundled lay words, is asked over HTTP and returns chunks with their metadata. Lucene gets the same added words with their weights, runs in one thread on one core and returns document numbers. Cold start: in this process, without lay words. The service caches up to ${formatCount(memory)} MiB; Lucene has a heap of 3 GiB and the page cache. Goals for new questions: half of Lucene's rate at 100,000 chunks, 0.3 at 1,000,000; embedded at least half of PostgreSQL.`,
      `Additional chunks combine the head of one article with the tail of another. They are copied directly into the tables in the format of an import, at ${formatCount(bulkRate)} chunks per second.`,
    ],
  }
}
