import { fragment, numberArray, type Sql, textArray } from '../../../_kit/sql/sql.ts'
import { termId, termsOf } from './terms.ts'

/**
 * The chunks of a base are numbered by `seq` from 0 on. A block covers 16,384 numbers; new postings of
 * a block go into segments of 512 numbers until they are merged.
 */
const blockBits = 14
const segmentBits = 9
export const blockSize = 1 << blockBits
export const segmentOf = (seq: number) => seq >> segmentBits
const blockOfSegment = (segment: number) => segment >> (blockBits - segmentBits)
export const blockOf = (seq: number) => seq >> blockBits

/** Segment number of a merged block. */
export const mergedSegment = -1

/**
 * A posting is 24 bits in four characters: offset in the block (14), term frequency (4), encoded chunk
 * length (6). Text is the same in every database driver.
 */
export const postingLength = 4
const zero = 48

export function encodePosting(seq: number, count: number, length: number): string {
  const value = ((seq & (blockSize - 1)) << 10) | (Math.min(count, 15) << 6) | encodeLength(length)
  return String.fromCharCode(
    zero + (value >>> 18),
    zero + ((value >>> 12) & 63),
    zero + ((value >>> 6) & 63),
    zero + (value & 63),
  )
}

/** Logarithmic code of six bits, exact to about 10 %. */
const encodeLength = (length: number) => Math.min(63, Math.round(Math.log(length + 1) * 5.6))
export const decodeLength = (code: number) => Math.exp(code / 5.6) - 1

export const decodePosting = (entries: string, at: number): number =>
  ((entries.charCodeAt(at) - zero) << 18) |
  ((entries.charCodeAt(at + 1) - zero) << 12) |
  ((entries.charCodeAt(at + 2) - zero) << 6) |
  (entries.charCodeAt(at + 3) - zero)

export const offsetInBlock = (value: number) => value >>> 10

export interface ChunkText {
  seq: number
  text: string
}

/** Groups postings by term and segment, and counts the terms of each chunk. */
function groupByTerm(chunks: readonly ChunkText[]) {
  const byTerm = new Map<number, Map<number, string>>()
  const lengths = chunks.map(({ seq, text }) => {
    const terms = termsOf(text)
    const counts = new Map<number, number>()
    for (const term of terms) {
      const id = termId(term)
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    for (const [id, count] of counts) {
      const segments = byTerm.get(id) ?? new Map<number, string>()
      const segment = segmentOf(seq)
      segments.set(segment, (segments.get(segment) ?? '') + encodePosting(seq, count, terms.length))
      byTerm.set(id, segments)
    }
    return terms.length
  })
  return { byTerm, lengths }
}

export interface PostingRow {
  term: number
  block: number
  segment: number
  entries: string
}

/** Rows per statement. */
const batchSize = 20_000

/** Adds chunks to the index of a base in the caller's transaction; returns the length of each. */
export async function addPostings(
  sql: Sql,
  base: number,
  chunks: readonly ChunkText[],
): Promise<number[]> {
  const { byTerm, lengths } = groupByTerm(chunks)
  const rows: PostingRow[] = []
  for (const [term, segments] of byTerm) {
    for (const [segment, entries] of segments)
      rows.push({ term, block: blockOfSegment(segment), segment, entries })
  }
  await writePostings(sql, base, rows)
  return lengths
}

/** Writes rows sorted by term, so that two writers lock them in the same order. */
export async function writePostings(sql: Sql, base: number, rows: PostingRow[]): Promise<void> {
  rows.sort((a, b) => a.term - b.term || a.segment - b.segment)
  for (let at = 0; at < rows.length; at += batchSize) {
    const batch = rows.slice(at, at + batchSize)
    const ints = (member: 'term' | 'block' | 'segment') =>
      fragment`${numberArray(
        batch.map((row) => row[member]),
        'int4',
      )}`
    await sql`
      insert into knowledge.postings as existing (base, term, block, segment, entries)
      select ${base}::int, * from unnest(${ints('term')}, ${ints('block')}, ${ints('segment')},
        ${textArray(batch.map(({ entries }) => entries))})
      on conflict (base, term, block, segment) do update
        set entries = existing.entries || excluded.entries`
  }
}
