import postgres from 'postgres'
import { formatCount } from '../support/figures.ts'
import type { Table } from '../support/results.ts'
import { copy, escapeCopyText } from './bulk.ts'
import type { Article } from './statutes.ts'

const columns = 'base, seq, document_id, chunk_index, section_id, content, metadata, hash, words'
const batchSize = 500

/** Compares the import rate with COPY and single INSERTs of the same rows, in chunks per second. */
export async function importsTable(
  url: string,
  articles: readonly Article[],
  rate: number,
): Promise<Table> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const rows = articles.map(({ id, law, article, text }, seq) => [
    ...[1, seq, law, seq, article, text, JSON.stringify({ id }), id, text.length],
  ])
  const perSecond = async (work: () => Promise<void>) => {
    await sql`create table public.bare (like knowledge.chunks including indexes)`
    const startedAt = performance.now()
    await work()
    const seconds = (performance.now() - startedAt) / 1000
    await sql`drop table public.bare`
    return articles.length / seconds
  }
  const copied = await perSecond(() =>
    copy(
      sql,
      `public.bare (${columns})`,
      rows.map((row) => `${row.map((cell) => escapeCopyText(String(cell))).join('\t')}\n`),
    ),
  )
  const inserted = await perSecond(async () => {
    for (let at = 0; at < rows.length; at += batchSize) {
      await sql.begin(async (sql) => {
        for (const row of rows.slice(at, at + batchSize)) {
          await sql.unsafe(
            `insert into public.bare (${columns}) values ($1,$2,$3,$4,$5,$6,$7::text::jsonb,$8,$9)`,
            row,
            { prepare: true },
          )
        }
      })
    }
  })
  await sql.end()
  const line = (what: string, rate: number) => [what, formatCount(rate), (rate / copied).toFixed(3)]
  return {
    title: 'Import, chunks per second',
    head: ['method', 'chunks per second', 'ratio to COPY'],
    rows: [
      line('COPY into one table with its indexes', copied),
      line('INSERT, one row per statement', inserted),
      line('batch-upsert', rate),
    ],
    notes: [
      `${formatCount(articles.length)} articles. batch-upsert handles requests of about ${batchSize} chunks in this process: it validates and tokenizes them and writes documents, chunks and index in one transaction. COPY and INSERT write only the rows of the chunks, without an index; INSERT uses transactions of the same size. The server does not flush commits to disk.`,
    ],
  }
}
