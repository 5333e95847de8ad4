import { json, numberArray, type Sql, textArray } from '../../services/_kit/sql/sql.ts'
import { tokenize } from '../../services/_kit/tokenize.ts'
import { mixedChunk, splitPoint } from './corpus.ts'
import type { Article } from './statutes.ts'

/** Text for PostgreSQL full-text search: the tokens of at least two characters. */
const pairs = (text: string) =>
  tokenize(text)
    .filter((word) => word.length > 1)
    .map((word) => word.replace(/[^\p{L}\p{N}]/gu, ''))
    .filter((word) => word !== '')
    .join(' ')

const batchSize = 2_000

/** Creates the full-text table, which is filled stage by stage. */
export async function openFullText(sql: Sql, articles: readonly Article[]) {
  await sql.statement('create table public.articles (chunk int, words tsvector)')
  await sql.statement('create table public.halves (article int, head tsvector, tail tsvector)')
  let filled = 0
  let halved = false

  async function fillArticles(to: number) {
    for (; filled < to; filled = Math.min(to, filled + batchSize)) {
      const rows = articles.slice(filled, Math.min(to, filled + batchSize))
      const documents = rows.map(({ law, article, text }) => pairs(`${law} ${article} ${text}`))
      await sql`
        insert into public.articles select ${filled}::int + nth - 1, to_tsvector('simple', words)
        from unnest(${textArray(documents)}) with ordinality given (words, nth)`
    }
  }

  async function fillHalves() {
    for (let at = 0; at < articles.length; at += batchSize) {
      const rows = articles.slice(at, at + batchSize).map((each, index) => ({
        article: at + index,
        head: pairs(`${each.law} ${each.article} ${each.text.slice(0, splitPoint(each))}`),
        tail: pairs(each.text.slice(splitPoint(each))),
      }))
      await sql`
        insert into public.halves
        select article, to_tsvector('simple', head), to_tsvector('simple', tail)
        from jsonb_to_recordset(${json(rows)}) as given (article int, head text, tail text)`
    }
    await sql.statement('create unique index on public.halves (article)')
    await sql.statement('analyze public.halves')
  }

  async function fillMixed(to: number) {
    for (; filled < to; filled = Math.min(to, filled + 50_000)) {
      const chunks = Array.from(
        { length: Math.min(to - filled, 50_000) },
        (_, index) => filled + index,
      )
      const mixed = chunks.map((chunk) => mixedChunk(articles, chunk))
      await sql`
        insert into public.articles select chunk, one.head || other.tail
        from unnest(${ints(chunks)}, ${ints(mixed.map(({ head }) => head))},
            ${ints(mixed.map(({ tail }) => tail))}) given (chunk, head, tail)
          join public.halves one on one.article = given.head
          join public.halves other on other.article = given.tail`
    }
  }

  return {
    async fillTo(to: number) {
      await sql.statement('drop index if exists public.articles_words')
      await fillArticles(Math.min(to, articles.length))
      if (to > articles.length && !halved) {
        await fillHalves()
        halved = true
      }
      await fillMixed(to)
      await sql.transaction(async (sql) => {
        await sql.statement("set local maintenance_work_mem = '1GB'")
        await sql.statement('set local statement_timeout = 0')
        await sql.statement('create index articles_words on public.articles using gin (words)')
      })
      await sql.statement('analyze public.articles')
    },
    async search(query: string, limit: number): Promise<number[]> {
      const tsquery = [...new Set(pairs(query).split(' '))].map((word) => `'${word}'`).join(' | ')
      const rows = await sql`
        select chunk from public.articles, to_tsquery('simple', ${tsquery}) asked
        where words @@ asked order by ts_rank(words, asked, 1) desc, chunk limit ${limit}`
      return rows.map(({ chunk }) => Number(chunk))
    },
  }
}

const ints = (list: number[]) => numberArray(list, 'int4')
