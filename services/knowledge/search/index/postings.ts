import { fragment, numberArray, type Sql, textArray } from '../../../_kit/sql/sql.ts'

/** Merged postings of a term in one block of 16,384 chunks. */
export interface PostingRow {
  term: number
  block: number
  entries: string
}

/** Numbering of a new shard. */
export const firstNumbering = -1

/** Rows per statement. */
const batchSize = 20_000

/** Appends postings to their blocks. Sorted by term, so that two writers lock rows in the same order. */
export async function writePostings(
  sql: Sql,
  shard: number,
  numbering: number,
  rows: PostingRow[],
): Promise<void> {
  rows.sort((a, b) => a.term - b.term || a.block - b.block)
  for (let at = 0; at < rows.length; at += batchSize) {
    const batch = rows.slice(at, at + batchSize)
    const ints = (member: 'term' | 'block') =>
      fragment`${numberArray(
        batch.map((row) => row[member]),
        'int4',
      )}`
    await sql`
      insert into knowledge.postings as existing (shard, term, block, numbering, entries)
      select ${shard}::int, term, block, ${numbering}::int, entries
      from unnest(${ints('term')}, ${ints('block')},
        ${textArray(batch.map(({ entries }) => entries))}) added (term, block, entries)
      on conflict (shard, term, block, numbering) do update
        set entries = existing.entries || excluded.entries`
  }
}
