import * as z from 'zod'
import { numberArray, type Sql } from '../../../_kit/sql/sql.ts'
import { blockSize, encodeLength, encodePostings, packPosting } from './posting.ts'
import { maxSeq } from './posting-list.ts'
import { addTermIds, TermIds } from './term-ids.ts'
import { enlarge, TermTable } from './term-table.ts'

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
  readonly #table = new TermTable()
  readonly #ids = new TermIds()
  readonly #seqs: number[] = []
  /** Code of the length of each chunk, and the end of its postings. */
  readonly #lengthCodes: number[] = []
  readonly #postingEnds: number[] = []
  /** Term number and frequency of each posting. */
  #postingTerms = new Int32Array(1 << 14)
  #frequencies = new Int32Array(1 << 14)
  #postingCount = 0
  /** Last posting of each term, and the number of its postings. */
  #lastPostings = new Int32Array(1 << 13)
  #postingCounts = new Int32Array(1 << 13)

  get chunks() {
    return this.#seqs.length
  }

  /** Adds the terms of a chunk's text and returns their number. */
  add(seq: number, text: string): number {
    if (seq - (this.#seqs[0] ?? seq) >= blockSize) throw new Error(`chunk ${seq}: segment is full`)
    const ids = this.#ids
    ids.length = 0
    const length = addTermIds(text, ids)
    const first = this.#postingCount
    for (let index = 0; index < length; index++) this.#addOccurrence(ids.at(index), first)
    this.#seqs.push(seq)
    this.#lengthCodes.push(encodeLength(length))
    this.#postingEnds.push(this.#postingCount)
    return length
  }

  /** Adds an occurrence in the chunk whose postings begin with `first`. */
  #addOccurrence(term: number, first: number) {
    const number = this.#table.numberOf(term)
    if (number === this.#lastPostings.length) {
      this.#lastPostings = enlarge(this.#lastPostings)
      this.#postingCounts = enlarge(this.#postingCounts)
    }
    const last = this.#lastPostings[number]!
    if (this.#postingCounts[number]! > 0 && last >= first) {
      this.#frequencies[last]!++
      return
    }
    if (this.#postingCount === this.#postingTerms.length) {
      this.#postingTerms = enlarge(this.#postingTerms)
      this.#frequencies = enlarge(this.#frequencies)
    }
    this.#postingTerms[this.#postingCount] = number
    this.#frequencies[this.#postingCount] = 1
    this.#lastPostings[number] = this.#postingCount++
    this.#postingCounts[number]!++
  }

  build(): Segment {
    const firstSeq = this.#seqs[0]!
    const terms = this.#table.terms.slice(0, this.#table.count).sort()
    const ends = new Int32Array(terms.length)
    /** Position of the next posting of each term number. */
    const positions = new Int32Array(terms.length)
    let end = 0
    terms.forEach((term, index) => {
      const number = this.#table.numberOf(term)
      positions[number] = end
      end += this.#postingCounts[number]!
      ends[index] = end
    })
    const postings = new Uint32Array(end)
    let posting = 0
    this.#seqs.forEach((seq, chunk) => {
      const code = this.#lengthCodes[chunk]!
      for (; posting < this.#postingEnds[chunk]!; posting++) {
        const position = positions[this.#postingTerms[posting]!]!++
        postings[position] = packPosting(seq - firstSeq, this.#frequencies[posting]!, code)
      }
    })
    return { firstSeq, endSeq: this.#seqs.at(-1)! + 1, terms, ends, postings }
  }
}

/** Most chunks of a segment. */
export const maxSegmentChunks = 4_096

/** Adds a segment to a shard, in the caller's transaction. */
export const writeSegment = (sql: Sql, shard: number, segment: Segment) => sql`
  insert into knowledge.segments (shard, first_seq, end_seq, terms, ends, entries)
  values (${shard}, ${segment.firstSeq}, ${segment.endSeq}, ${ints(segment.terms)},
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

/** Loads the oldest segments of a shard, those of chunks below `end` only. */
export const loadSegments = (sql: Sql, shard: number, limit?: number, end = maxSeq) =>
  sql.rows(SegmentRow)`
    select id, first_seq, to_jsonb(terms) as terms, to_jsonb(ends) as ends, entries, merged_below
    from knowledge.segments where shard = ${shard} and first_seq < ${end}
    order by id limit ${limit ?? null}`
