import * as z from 'zod'
import { numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import { blockSize, encodeLength, encodePostings, packPosting } from './posting.ts'
import { maxSeq } from './posting-list.ts'
import { sortOccurrences } from './sort-occurrences.ts'
import { addTermIds, TermIds } from './term-ids.ts'

export interface Segment {
  firstSeq: number
  endSeq: number
  /** Ascending. */
  terms: Int32Array
  /** End of each term's postings. */
  ends: Int32Array
  postings: Uint32Array
}

/** Builds the segment of some chunks. Their numbers ascend and span at most `blockSize`. */
export class SegmentBuilder {
  readonly #ids = new TermIds()
  readonly #seqs: number[] = []
  /** Number of terms of each chunk. */
  readonly #lengths: number[] = []

  get chunks() {
    return this.#seqs.length
  }

  /** Adds the terms of a chunk's text and returns their number. */
  add(seq: number, text: string): number {
    if (seq - (this.#seqs[0] ?? seq) >= blockSize) throw new Error(`chunk ${seq}: segment is full`)
    const length = addTermIds(text, this.#ids)
    this.#seqs.push(seq)
    this.#lengths.push(length)
    return length
  }

  build(): Segment {
    const firstSeq = this.#seqs[0]!
    const { terms: ids, chunks } = sortOccurrences(this.#ids.toArray(), this.#lengths)
    const terms = new Int32Array(ids.length)
    const ends = new Int32Array(ids.length)
    const postings = new Uint32Array(ids.length)
    const offsets = Uint16Array.from(this.#seqs, (seq) => seq - firstSeq)
    const codes = Uint8Array.from(this.#lengths, encodeLength)
    let termCount = 0
    let size = 0
    for (let index = 0; index < ids.length; ) {
      const term = ids[index]!
      const chunk = chunks[index]!
      const first = index++
      while (index < ids.length && ids[index] === term && chunks[index] === chunk) index++
      postings[size++] = packPosting(offsets[chunk]!, index - first, codes[chunk]!)
      if (termCount === 0 || terms[termCount - 1] !== term) terms[termCount++] = term
      ends[termCount - 1] = size
    }
    return {
      firstSeq,
      endSeq: this.#seqs.at(-1)! + 1,
      terms: terms.subarray(0, termCount),
      ends: ends.subarray(0, termCount),
      postings: postings.subarray(0, size),
    }
  }
}

/** Most chunks of a segment. */
export const maxSegmentChunks = 4_096

/** Adds a segment to the index of a base, in the caller's transaction. */
export const writeSegment = (sql: Sql, base: number, segment: Segment) => sql`
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
