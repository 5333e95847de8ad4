import type { BaseRow } from '../base.ts'
import type { Row } from './found.ts'
import { Heads } from './heads.ts'
import { Lru } from './lru.ts'
import { type Packed, sizeOfPacked } from './packed.ts'

/** What this process knows of a base's index, for as long as that is not put in order again. */
export class BaseIndex {
  /** Tells it from others, those of the same base included. */
  readonly id: number
  readonly ordered: number
  /** How long each chunk is, as an entry tells it. */
  lengths = new Uint8Array(0)
  heads: Heads

  constructor(id: number, { ordered, removed }: BaseRow) {
    this.id = id
    this.ordered = ordered
    this.heads = new Heads(removed)
  }

  get size() {
    return 200 + this.lengths.length + this.heads.size
  }

  /** Makes room for the places that there are. */
  fit({ next_seq, removed }: BaseRow) {
    if (removed > this.heads.removed) this.heads = new Heads(removed)
    if (next_seq <= this.lengths.length) return
    const lengths = new Uint8Array(roomFor(next_seq))
    lengths.set(this.lengths)
    this.lengths = lengths
  }
}

/** With some to spare, so that it need not grow with every write. */
export const roomFor = (places: number) => 64 + Math.ceil(places * 1.1)

export interface SearchCache {
  indexOf(base: BaseRow): BaseIndex
  /** Entries of terms, by index and term; they tell up to where. */
  terms: Lru<Packed>
  /** Chunks as they are shown, by base, version and place. */
  rows: Lru<Row>
}

const mebibyte = 2 ** 20

/**
 * What searches read lately. Each begins by reading its bases, whose counters say what of this still
 * holds, so that it sees every write that was done before, whoever did it.
 */
export function makeSearchCache(mebibytes: number): SearchCache {
  const share = (of: number) => mebibytes * mebibyte * of
  const indexes = new Lru<BaseIndex>(share(0.2), ({ size }) => size)
  let made = 0
  return {
    indexOf(base) {
      const key = String(base.no)
      const before = indexes.get(key)
      const index = before && before.ordered >= base.ordered ? before : new BaseIndex(++made, base)
      index.fit(base)
      indexes.set(key, index)
      return index
    },
    terms: new Lru<Packed>(share(0.6), sizeOfPacked),
    rows: new Lru<Row>(share(0.2), ({ shown }) => 2_000 + 4 * shown.content.length),
  }
}
