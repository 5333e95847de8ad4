import type { BaseRow } from '../../base.ts'
import type { CachedChunk } from '../fetch/candidate.ts'
import { grownCapacity } from './capacity.ts'
import { ChunkColumns } from './chunk-columns.ts'
import { Lru } from './lru.ts'
import { type PostingList, postingListBytes } from './posting-list.ts'

/** Cached arrays of a base's index. Valid until its segments are merged (`mergeGeneration`). */
export class BaseIndex {
  /** Unique in the process: part of the cache key of posting lists. */
  readonly id: number
  readonly mergeGeneration: number
  /** Encoded length of each chunk. */
  lengths = new Uint8Array(0)
  columns: ChunkColumns

  constructor(id: number, { merge_generation, delete_generation }: BaseRow) {
    this.id = id
    this.mergeGeneration = merge_generation
    this.columns = new ChunkColumns(delete_generation)
  }

  get bytes() {
    return 200 + this.lengths.length + this.columns.bytes
  }

  ensureCapacity({ next_seq, delete_generation }: BaseRow) {
    if (delete_generation > this.columns.deleteGeneration) {
      this.columns = new ChunkColumns(delete_generation)
    }
    if (next_seq <= this.lengths.length) return
    const lengths = new Uint8Array(grownCapacity(next_seq))
    lengths.set(this.lengths)
    this.lengths = lengths
  }
}

export interface SearchCache {
  getIndex(base: BaseRow): BaseIndex
  /** Posting lists by index id and term. */
  terms: Lru<PostingList>
  /** Chunks by base, version and sequence number. */
  chunks: Lru<CachedChunk>
}

const mebibyte = 2 ** 20

/**
 * Cache of recently searched data, bounded in bytes. A search first reads the counters of its bases
 * and drops stale entries, so it sees every write that any replica committed before.
 */
export function makeSearchCache(mebibytes: number): SearchCache {
  const budget = mebibytes * mebibyte
  const indexes = new Lru<BaseIndex>(0.2 * budget, ({ bytes }) => bytes)
  let lastId = 0
  return {
    getIndex(base) {
      const key = String(base.no)
      const existing = indexes.get(key)
      const isValid = existing && existing.mergeGeneration >= base.merge_generation
      const index = isValid ? existing : new BaseIndex(++lastId, base)
      index.ensureCapacity(base)
      indexes.set(key, index)
      return index
    },
    terms: new Lru<PostingList>(0.6 * budget, postingListBytes),
    chunks: new Lru<CachedChunk>(0.2 * budget, ({ hit }) => 2_000 + 4 * hit.content.length),
  }
}
