import { monitorEventLoopDelay } from 'node:perf_hooks'
import { postgresDriver } from '../services/_kit/sql/postgres.ts'
import { startPostgres } from '../tests/support/postgres-server.ts'
import { createDatabase, versions } from './kit/postgres.ts'
import { firstLaws, readCorpus } from './search/corpus.ts'
import { formatTimings, measureTimes } from './search/speed.ts'
import { benchBase, buildDocuments, fill, type Knowledge, openKnowledge } from './search/subject.ts'
import { formatCount, mean } from './support/figures.ts'
import type { Results } from './support/results.ts'

const baseCount = 1_500

/** Compares searches by their scope: one base, many bases with the same content, and filters. */
export async function run({ quick }: { quick: boolean }): Promise<Results> {
  const { articles, questions } = readCorpus(quick)
  const count = firstLaws(articles, quick ? 2_000 : 60_000)
  const queries = questions.slice(0, 150).map(({ query }) => query)
  const server = await startPostgres()
  const driver = postgresDriver(await createDatabase(server.url), 4)
  try {
    const subject = await openKnowledge(driver, { KNOWLEDGE_SEARCH_CACHE_MB: '1024' })
    await fill(subject, articles.slice(0, count))
    await fillMany(subject, articles.slice(0, count))
    await subject.sql.statement('vacuum analyze')
    const one = (query: string) => search(subject, 'bench', query, { kb_ids: [benchBase] })
    const scopes: [string, (query: string) => Promise<unknown>][] = [
      ['one base', one],
      [`${formatCount(baseCount)} bases`, (query) => search(subject, 'many', query, {})],
      [
        'one base, filter that every chunk matches',
        (query) => search(subject, 'bench', query, { filters: { doc_types: ['statute'] } }),
      ],
      [
        'one base, filter that one law matches',
        (query) =>
          search(subject, 'bench', query, {
            filters: { document_ids: [articles[count - 1]!.law] },
          }),
      ],
      [
        'one base, eight searches at once',
        (query) => Promise.all(Array.from({ length: 8 }, () => one(query))),
      ],
    ]
    const rows: string[][] = []
    let reference = 0
    for (const [name, ask] of scopes) {
      await measureTimes(queries, ask)
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      const times = await measureTimes(queries, ask)
      delay.disable()
      reference ||= mean(times)
      const [rate, p50, p99] = formatTimings(times)
      // The monitor adds its own resolution of one millisecond.
      const blocked = `${Math.max(0, delay.max / 1e6 - 1).toFixed(1)} ms`
      rows.push([name, rate!, p50!, p99!, `${(mean(times) / reference).toFixed(1)} ×`, blocked])
    }
    return {
      versions: await versions(server.url),
      tables: [
        {
          title: `Keyword search in ${formatCount(count)} chunks by scope`,
          head: ['scope', 'a second', 'p50', 'p99', 'to one base', 'longest block'],
          rows,
          notes: [
            `Repeated questions, 10 hits, sequential. The many bases hold the same chunks as the one base, about ${Math.round(count / baseCount)} each. The longest block is the longest time that the event loop was busy during all searches, garbage collection included. Goals: 1,500 bases cost at most three times one base; no block above 10 ms.`,
          ],
        },
      ],
    }
  } finally {
    await driver.end()
    await server.stop()
  }
}

/** Distributes the laws over many bases of another organization. */
async function fillMany(subject: Knowledge, articles: Parameters<typeof buildDocuments>[0]) {
  await subject.sql.statement(`
    insert into knowledge.bases (id, organization_id, name)
    select ('0190b8f4-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, 'many', 'base ' || n
    from generate_series(0, ${baseCount - 1}) n`)
  const kbId = (index: number) =>
    `0190b8f4-0000-7000-9000-${(index % baseCount).toString(16).padStart(12, '0')}`
  const pieces = Array.from({ length: baseCount }, (_, index) =>
    articles.filter((_, nth) => nth % baseCount === index),
  )
  for (let at = 0; at < pieces.length; at += 20) {
    const documents = pieces
      .slice(at, at + 20)
      .flatMap((piece, index) =>
        buildDocuments(piece).map((document) => ({ ...document, kb_id: kbId(at + index) })),
      )
    await subject.post('atomic/batch-upsert', { documents })
  }
  await subject.settle()
}

async function search(subject: Knowledge, organization: string, query: string, body: object) {
  const { hits } = await subject.post(
    'atomic/keyword-search',
    { query, top_k: 10, ...body },
    { 'x-organization-id': organization },
  )
  return hits
}
