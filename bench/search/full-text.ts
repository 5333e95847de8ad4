import { json, type Sql } from '../../services/_kit/sql/sql.ts'
import { words } from '../../services/_kit/words.ts'
import type { Article } from './statutes.ts'

/** PostgreSQL's own full-text search over the same rows: pairs of characters as its words. */
const pairs = (text: string) =>
  words(text)
    .filter((word) => word.length > 1)
    .map((word) => word.replace(/[^\p{L}\p{N}]/gu, ''))
    .filter((word) => word !== '')

export async function fillFullText(sql: Sql, articles: readonly Article[]): Promise<void> {
  await sql.statement('create table public.articles (id text, words tsvector)')
  for (let at = 0; at < articles.length; at += 2_000) {
    const rows = articles.slice(at, at + 2_000).map(({ id, law, article, text }) => ({
      id,
      words: pairs(`${law} ${article} ${text}`).join(' '),
    }))
    await sql`
      insert into public.articles select id, to_tsvector('simple', words)
      from jsonb_to_recordset(${json(rows)}) as given (id text, words text)`
  }
  await sql.statement('create index on public.articles using gin (words)')
  await sql.statement('analyze public.articles')
}

export async function byFullText(sql: Sql, query: string, most: number): Promise<string[]> {
  const asked = [...new Set(pairs(query))].map((word) => `'${word}'`).join(' | ')
  const rows = await sql`
    select id from public.articles, to_tsquery('simple', ${asked}) asked
    where words @@ asked order by ts_rank(words, asked, 1) desc, id limit ${most}`
  return rows.map(({ id }) => String(id))
}
