import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import postgres from 'postgres'
import * as z from 'zod'
import type { Sql } from '../../services/_kit/sql/sql.ts'
import { indexedText } from '../../services/knowledge/indexed-text.ts'
import {
  blockSize,
  encodeLength,
  encodePostings,
  packPosting,
} from '../../services/knowledge/search/index/posting.ts'
import {
  firstNumbering,
  type PostingRow,
  writePostings,
} from '../../services/knowledge/search/index/postings.ts'
import { writeSeqRange } from '../../services/knowledge/search/index/seq-ranges.ts'
import { addTermIds, TermIds } from '../../services/knowledge/search/index/term-ids.ts'
import { mixedChunk, splitPoint } from './corpus.ts'
import type { Article } from './statutes.ts'

const Base = z.object({ shard: z.int() })

type TermCounts = ReturnType<typeof countTerms>

/** Distinct terms of a text, ascending, with their frequencies; and the number of its terms. */
function countTerms(text: string) {
  const all = new TermIds()
  addTermIds(text, all)
  const ids = all.toArray().sort()
  const terms = new Int32Array(ids.length)
  const counts = new Int32Array(ids.length)
  let size = 0
  for (let index = 0; index < ids.length; index++) {
    if (index > 0 && ids[index] === ids[index - 1]) counts[size - 1]!++
    else {
      terms[size] = ids[index]!
      counts[size++] = 1
    }
  }
  return { terms: terms.slice(0, size), counts: counts.slice(0, size), length: ids.length }
}

/** Visits the terms of two texts in order. */
function mergeCounts(
  one: TermCounts,
  other: TermCounts,
  visit: (term: number, count: number) => void,
) {
  let [left, right] = [0, 0]
  while (left < one.terms.length || right < other.terms.length) {
    const a = one.terms[left] ?? Number.POSITIVE_INFINITY
    const b = other.terms[right] ?? Number.POSITIVE_INFINITY
    const count = (a <= b ? one.counts[left++]! : 0) + (b <= a ? other.counts[right++]! : 0)
    visit(Math.min(a, b), count)
  }
}

/**
 * Fills a base of the service with mixed chunks up to a given number. The rows equal those of an import
 * followed by index maintenance. The terms of each half article are counted once.
 */
export function makeBulk(url: string, sql: Sql, articles: readonly Article[]) {
  const heads: TermCounts[] = []
  const tails: TermCounts[] = []

  function count() {
    for (const article of articles) {
      const { law: title, article: section_id, text } = article
      const content = text.slice(0, splitPoint(article))
      heads.push(countTerms(indexedText({ title, section_id, heading: null, content })))
      tails.push(countTerms(text.slice(splitPoint(article))))
    }
  }

  const chunkLength = (chunk: number) => {
    const { head, tail } = mixedChunk(articles, chunk)
    return heads[head]!.length + tails[tail]!.length
  }

  /** Index rows for the chunks `from` (inclusive) to `to` (exclusive) of one block. */
  function postings(from: number, to: number): PostingRow[] {
    const byTerm = new Map<number, number[]>()
    for (let chunk = from; chunk < to; chunk++) {
      const { head, tail } = mixedChunk(articles, chunk)
      const code = encodeLength(chunkLength(chunk))
      mergeCounts(heads[head]!, tails[tail]!, (term, count) => {
        const own = byTerm.get(term)
        const posting = packPosting(chunk % blockSize, count, code)
        if (own) own.push(posting)
        else byTerm.set(term, [posting])
      })
    }
    const block = Math.floor(from / blockSize)
    return Array.from(byTerm, ([term, own]) => ({
      term,
      block,
      entries: encodePostings(Uint32Array.from(own)),
    }))
  }

  return async function fillTo(base: number, from: number, to: number): Promise<number> {
    if (heads.length === 0) count()
    const startedAt = performance.now()
    const copying = postgres(url, { max: 1, onnotice: () => {} })
    await writeChunks(copying, base, articles, from, to, chunkLength)
    await copying.end()
    const { shard } = (await sql.row(Base)`
      select shard from knowledge.bases where no = ${base}`)!
    for (let at = from; at < to; ) {
      const end = Math.min(to, (Math.floor(at / blockSize) + 1) * blockSize)
      await writePostings(sql, shard, firstNumbering, postings(at, end))
      at = end
    }
    let words = 0
    for (let chunk = from; chunk < to; chunk++) words += chunkLength(chunk)
    await writeSeqRange(sql, shard, { first_seq: from, end_seq: to, base })
    await sql`update knowledge.shards set next_seq = ${to} where no = ${shard}`
    await sql`
      update knowledge.bases set chunks = ${to}, words = words + ${words}, version = version + 1
      where no = ${base}`
    return (to - from) / ((performance.now() - startedAt) / 1000)
  }
}

async function writeChunks(
  sql: postgres.Sql,
  base: number,
  articles: readonly Article[],
  from: number,
  to: number,
  chunkLength: (chunk: number) => number,
) {
  const documents = new Map<string, string>()
  for (let chunk = from; chunk < to; chunk++) {
    const { round, head } = mixedChunk(articles, chunk)
    documents.set(`${round} ${articles[head]!.law}`, articles[head]!.law)
  }
  await sql`
    insert into knowledge.documents (base, document_id, doc_type, title, metadata, law_keys, law_terms, hash)
    select ${base}::int, id, 'statute', title, '{}', '{}', '{}', id
    from unnest(${[...documents.keys()]}::text[], ${[...documents.values()]}::text[]) given (id, title)
    on conflict do nothing`
  const columns = 'base, seq, document_id, chunk_index, section_id, content, metadata, hash, words'
  await copy(
    sql,
    `knowledge.chunks (${columns})`,
    Array.from({ length: to - from }, (_, index) => {
      const chunk = from + index
      const { round, head, tail } = mixedChunk(articles, chunk)
      const [one, other] = [articles[head]!, articles[tail]!]
      const content = `${one.text.slice(0, splitPoint(one))}\n${other.text.slice(splitPoint(other))}`
      const words = [`${round} ${one.law}`, chunk, one.article, content].map((cell) =>
        escapeCopyText(String(cell)),
      )
      return `${[base, chunk, ...words, '{}', chunk, chunkLength(chunk)].join('\t')}\n`
    }),
  )
}

export const escapeCopyText = (text: string) =>
  text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '')

export async function copy(sql: postgres.Sql, into: string, rows: readonly string[]) {
  const stream = await sql.unsafe(`copy ${into} from stdin`).writable()
  // Writes 256 rows at a time, because one write per row would take longer than the copy.
  const pieces = function* () {
    for (let at = 0; at < rows.length; at += 256) yield rows.slice(at, at + 256).join('')
  }
  await pipeline(Readable.from(pieces()), stream)
}
