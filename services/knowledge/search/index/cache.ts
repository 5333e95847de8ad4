import type { CachedChunk } from '../fetch/candidate.ts'
import { grownCapacity } from './capacity.ts'
import { ChunkColumns } from './chunk-columns.ts'
import { Lru } from './lru.ts'
import {
  emptyPostingList,
  listBlockSize,
  type PostingList,
  postingListBytes,
} from './posting-list.ts'
import { SeqRanges } from './seq-ranges.ts'
import type { Shard } from './shard.ts'

/** An empty list is shared by all terms of a shard. */
const listBytes = (list: PostingList) => (list.entries.length === 0 ? 50 : postingListBytes(list))

/**
 * Cached arrays of a shard. Valid until its segments are merged (`mergeGeneration`) or its chunks are renumbered
 * (`numbering`).
 */
export class ShardIndex {
  /** Unique in the process: part of the cache key of posting lists. */
  readonly id: number
  readonly mergeGeneration: number
  readonly numbering: number
  /** Encoded length of each chunk. */
  lengths = new Uint8Array(0)
  columns: ChunkColumns
  /** The bases of the chunks. */
  ranges: SeqRanges
  /** Posting lists by term, for small shards: a service may search those of thousands of organizations. */
  readonly #terms = new Map<number, PostingList>()
  #termBytes = 0

  constructor(id: number, { merge_generation, delete_generation, numbering, layout }: Shard) {
    this.id = id
    this.numbering = numbering
    this.mergeGeneration = merge_generation
    this.columns = new ChunkColumns(delete_generation)
    this.ranges = new SeqRanges(layout)
  }

  get bytes() {
    return 200 + this.lengths.length + this.columns.bytes + this.ranges.bytes + this.#termBytes
  }

  #empty = emptyPostingList(0)

  /** The empty list that is complete below `coveredUntil`. */
  emptyList(coveredUntil: number): PostingList {
    if (this.#empty.coveredUntil !== coveredUntil) this.#empty = emptyPostingList(coveredUntil)
    return this.#empty
  }

  getTerm = (term: number) => this.#terms.get(term)

  setTerm(term: number, list: PostingList) {
    const before = this.#terms.get(term)
    this.#termBytes += listBytes(list) - (before ? listBytes(before) : 0)
    this.#terms.set(term, list)
  }

  /** Ranges of a layout. A search that began before a change of it does not get those of later searches. */
  rangesOf = ({ layout }: Shard) =>
    this.ranges.layout === layout ? this.ranges : new SeqRanges(layout)

  setRanges(ranges: SeqRanges) {
    const { layout, coveredUntil } = this.ranges
    if (ranges.layout === layout && ranges.coveredUntil > coveredUntil) this.ranges = ranges
  }

  ensureCapacity({ next_seq, delete_generation, layout }: Shard) {
    if (delete_generation > this.columns.deleteGeneration) {
      this.columns = new ChunkColumns(delete_generation)
    }
    if (layout > this.ranges.layout) this.ranges = new SeqRanges(layout)
    if (next_seq <= this.lengths.length) return
    const lengths = new Uint8Array(grownCapacity(next_seq))
    lengths.set(this.lengths)
    this.lengths = lengths
  }
}

export interface SearchCache {
  getIndex(shard: Shard): ShardIndex
  getTerm(shard: Shard, index: ShardIndex, term: number): PostingList | undefined
  /** Keeps a list unless a longer one is cached. */
  setTerm(shard: Shard, index: ShardIndex, term: number, list: PostingList): void
  /** Chunks by base, version and sequence number. */
  chunks: Lru<CachedChunk>
}

const mebibyte = 2 ** 20

/** Shards with at most one block of chunks keep their posting lists in their own index. */
const isSmall = ({ next_seq }: Shard) => next_seq <= listBlockSize

/**
 * Cache of recently searched data, bounded in bytes. A search first reads the counters of its shards and bases
 * and drops stale entries, so it sees every write that any replica committed before.
 */
export function makeSearchCache(mebibytes: number): SearchCache {
  const budget = mebibytes * mebibyte
  const indexes = new Lru<ShardIndex>(0.3 * budget, ({ bytes }) => bytes)
  const terms = new Lru<PostingList>(0.5 * budget, postingListBytes)
  const termKey = (index: ShardIndex, term: number) => `${index.id} ${term}`
  let lastId = 0
  return {
    getIndex(shard) {
      const key = String(shard.no)
      const existing = indexes.get(key)
      const isValid =
        existing?.numbering === shard.numbering &&
        existing.mergeGeneration >= shard.merge_generation
      const index = isValid ? existing : new ShardIndex(++lastId, shard)
      index.ensureCapacity(shard)
      // A search that began before a renumbering must not replace the index of later ones.
      if (!existing || existing.numbering <= shard.numbering) indexes.set(key, index)
      return index
    },
    getTerm: (shard, index, term) =>
      isSmall(shard) ? index.getTerm(term) : terms.get(termKey(index, term)),
    setTerm(shard, index, term, list) {
      const cached = this.getTerm(shard, index, term)
      if (cached && cached.coveredUntil >= list.coveredUntil) return
      if (isSmall(shard)) index.setTerm(term, list)
      else terms.set(termKey(index, term), list)
    },
    chunks: new Lru<CachedChunk>(0.2 * budget, ({ hit }) => 2_000 + 4 * hit.content.length),
  }
}
