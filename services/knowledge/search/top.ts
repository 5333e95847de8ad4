export interface Scored {
  base: number
  seq: number
  score: number
}

/** The best first, and of equals those that come first. */
export const byScore = (a: Scored, b: Scored) =>
  b.score - a.score || a.base - b.base || a.seq - b.seq

/** Keeps the best few of many that come in the order of their places: of equals the first. */
export class Top {
  /** Only what scores more than this may still be among them. */
  threshold = 0
  readonly most: number
  readonly #bases: Int32Array
  readonly #seqs: Int32Array
  readonly #scores: Float64Array
  #size = 0

  constructor(most: number) {
    this.most = most
    const room = 2 * most + 1024
    this.#bases = new Int32Array(room)
    this.#seqs = new Int32Array(room)
    this.#scores = new Float64Array(room)
  }

  /** Says what the threshold is then. */
  add(base: number, seq: number, score: number): number {
    if (this.#size === this.#scores.length) this.#cut(this.most)
    if (score > this.threshold) {
      this.#bases[this.#size] = base
      this.#seqs[this.#size] = seq
      this.#scores[this.#size++] = score
    }
    return this.threshold
  }

  /** How many there are. */
  get size() {
    this.#cut(this.most)
    return this.#size
  }

  /** Scores those of a base anew. */
  change(base: number, score: (seq: number, score: number) => number) {
    const { size } = this
    for (let index = 0; index < size; index++) {
      if (this.#bases[index] !== base) continue
      this.#scores[index] = score(this.#seqs[index]!, this.#scores[index]!)
    }
  }

  /** So many of them, the best first. */
  sorted(most = this.most): Scored[] {
    this.#cut(most)
    return Array.from({ length: this.#size }, (_, index) => ({
      base: this.#bases[index]!,
      seq: this.#seqs[index]!,
      score: this.#scores[index]!,
    })).sort(byScore)
  }

  #cut(most: number) {
    if (this.#size <= most) return
    const scores = this.#scores
    const last = largest(scores.slice(0, this.#size), most)
    let equal = most
    for (let index = 0; index < this.#size; index++) if (scores[index]! > last) equal--
    let size = 0
    for (let index = 0; index < this.#size; index++) {
      const score = scores[index]!
      if (score < last || (score === last && equal-- <= 0)) continue
      this.#bases[size] = this.#bases[index]!
      this.#seqs[size] = this.#seqs[index]!
      scores[size++] = score
    }
    this.#size = size
    this.threshold = last
  }
}

/** The nth largest of some values, which it reorders. */
export function largest(values: Float64Array, nth: number): number {
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
