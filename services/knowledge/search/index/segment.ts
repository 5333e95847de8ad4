import * as z from 'zod'
import { numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import { blockSize, encodeLength, encodePostings, packPosting } from './posting.ts'
import { maxSeq } from './posting-list.ts'
import { extractTermIds } from './term-ids.ts'

export interface Segment {
  firstSeq: number
  endSeq: number
  /** Ascending. */
  terms: Int32Array
  /** End of each term's postings. */
  ends: Int32Array
  postings: Uint32Array
}

/** Distinct terms of a chunk, ascending, with their frequencies; and the number of its terms. */
export function countTerms(text: string) {
  const ids = extractTermIds(text).sort()
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
  return { terms: terms.subarray(0, size), counts: counts.subarray(0, size), length: ids.length }
}

/** A chunk with its counted terms. */
export type CountedChunk = ReturnType<typeof countTerms> & { seq: number }

/** Builds the segment of chunks with ascending numbers, at most `blockSize` of them. */
export function buildSegment(chunks: readonly CountedChunk[]): Segment {
  const firstSeq = chunks[0]!.seq
  const frequencies = new Map<number, number>()
  for (const { terms } of chunks) {
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
  }
  const terms = Int32Array.from(frequencies.keys()).sort()
  const ends = new Int32Array(terms.length)
  const next = new Map<number, number>()
  let size = 0
  terms.forEach((term, index) => {
    next.set(term, size)
    size += frequencies.get(term)!
    ends[index] = size
  })
  const postings = new Uint32Array(size)
  for (const { seq, terms, counts, length } of chunks) {
    const code = encodeLength(length)
    for (let index = 0; index < terms.length; index++) {
      const at = next.get(terms[index]!)!
      next.set(terms[index]!, at + 1)
      postings[at] = packPosting(seq - firstSeq, counts[index]!, code)
    }
  }
  return { firstSeq, endSeq: chunks.at(-1)!.seq + 1, terms, ends, postings }
}

/**
 * Adds chunks with ascending numbers to the index of a base, in the caller's transaction: one immutable
 * segment per call and block.
 */
export async function addSegment(sql: Sql, base: number, chunks: readonly CountedChunk[]) {
  for (let at = 0; at < chunks.length; at += blockSize) {
    await writeSegment(sql, base, buildSegment(chunks.slice(at, at + blockSize)))
  }
}

const writeSegment = (sql: Sql, base: number, segment: Segment) => sql`
  insert into knowledge.segments (base, first_seq, end_seq, terms, ends, entries)
  values (${base}, ${segment.firstSeq}, ${segment.endSeq}, ${ints(segment.terms)},
    ${ints(segment.ends)}, ${encodePostings(segment.postings)})`

const ints = (list: Int32Array) => numberArray(list as unknown as readonly number[], 'int4')

const SegmentRow = z.object({
  id: z.int(),
  first_seq: z.int(),
  terms: z.array(z.int()),
  ends: z.array(z.int()),
  entries: z.string(),
  merged_below: z.int(),
})
export type SegmentRow = z.infer<typeof SegmentRow>

/** Loads the oldest segments of a base, those of chunks below `end` only. */
export const loadSegments = (sql: Sql, base: number, limit?: number, end = maxSeq) =>
  sql.rows(SegmentRow)`
    select id, first_seq, to_jsonb(terms) as terms, to_jsonb(ends) as ends, entries, merged_below
    from knowledge.segments where base = ${base} and first_seq < ${end}
    order by id limit ${limit ?? null}`
