import { byScore, type ScoredChunk } from './scored-chunk.ts'

/** Collects the k best of many chunks that arrive by ascending sequence number; the first of equals stays. */
export class TopK {
  /** A chunk must score more than this to be among the best. */
  threshold = 0
  readonly limit: number
  readonly #shards: Int32Array
  readonly #seqs: Int32Array
  readonly #scores: Float64Array
  #size = 0

  constructor(limit: number) {
    this.limit = limit
    const room = 2 * limit + 1024
    this.#shards = new Int32Array(room)
    this.#seqs = new Int32Array(room)
    this.#scores = new Float64Array(room)
  }

  /** Adds a chunk and returns the current threshold. */
  add(shard: number, seq: number, score: number): number {
    if (this.#size === this.#scores.length) this.#cut(this.limit)
    if (score > this.threshold) {
      this.#shards[this.#size] = shard
      this.#seqs[this.#size] = seq
      this.#scores[this.#size++] = score
    }
    return this.threshold
  }

  get size() {
    this.#cut(this.limit)
    return this.#size
  }

  /** Replaces the scores of a shard's chunks. */
  rescore(shard: number, score: (seq: number, score: number) => number) {
    const { size } = this
    for (let index = 0; index < size; index++) {
      if (this.#shards[index] !== shard) continue
      this.#scores[index] = score(this.#seqs[index]!, this.#scores[index]!)
    }
  }

  /** Returns the best chunks with their bases, best first. */
  toSorted(baseOf: (shard: number, seq: number) => number, limit = this.limit): ScoredChunk[] {
    this.#cut(limit)
    const sorted: ScoredChunk[] = []
    for (let index = 0; index < this.#size; index++) {
      const seq = this.#seqs[index]!
      const base = baseOf(this.#shards[index]!, seq)
      sorted.push({ base, seq, score: this.#scores[index]! })
    }
    return sorted.sort(byScore)
  }

  #cut(limit: number) {
    if (this.#size <= limit) return
    const scores = this.#scores
    const last = nthLargest(scores.slice(0, this.#size), limit)
    let equal = limit
    for (let index = 0; index < this.#size; index++) if (scores[index]! > last) equal--
    let size = 0
    for (let index = 0; index < this.#size; index++) {
      const score = scores[index]!
      if (score < last || (score === last && equal-- <= 0)) continue
      this.#shards[size] = this.#shards[index]!
      this.#seqs[size] = this.#seqs[index]!
      scores[size++] = score
    }
    this.#size = size
    this.threshold = last
  }
}

/** Returns the nth largest value (quickselect). Reorders `values`. */
export function nthLargest(values: Float64Array, nth: number): number {
  let from = 0
  let to = values.length - 1
  while (from < to) {
    const pivot = values[(from + to) >>> 1]!
    let left = from
    let right = to
    while (left <= right) {
      while (values[left]! > pivot) left++
      while (values[right]! < pivot) right--
      if (left > right) break
      const value = values[left]!
      values[left++] = values[right]!
      values[right--] = value
    }
    if (nth - 1 <= right) to = right
    else if (nth - 1 >= left) from = left
    else break
  }
  return values[nth - 1]!
}
