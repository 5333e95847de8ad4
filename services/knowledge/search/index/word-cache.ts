/** Longer runs are not cached: they hardly repeat. A length is below every code unit of Han text. */
const maxRunLength = 255

/**
 * Word lengths of runs of Han text. Texts of laws repeat their clauses, and the segmentation into words takes
 * most of the time of an import.
 *
 * The runs are in a ring buffer: a new one overwrites the oldest. A run has one slot, by its hash, so that
 * texts with equal hashes cannot slow down a lookup. Typed arrays leave nothing to the garbage collector.
 */
export class WordCache {
  /** Position of the run of each slot in `#units`. */
  readonly #positions: Int32Array
  /** Length of each run, followed by its code units. */
  readonly #units: Uint16Array
  /** Length of the word that starts at each position of `#units`. */
  readonly wordLengths: Uint8Array
  #end = 0

  /** `capacity`: code units of all runs, with one more for each run. `slots`: a power of two. */
  constructor(capacity = 1 << 21, slots = 1 << 18) {
    this.#positions = new Int32Array(slots)
    this.#units = new Uint16Array(capacity)
    this.wordLengths = new Uint8Array(capacity)
  }

  /** Returns the position of the word lengths of a run, or -1 if it is not cached. */
  find(hash: number, text: string, from: number, to: number): number {
    const units = this.#units
    let position = this.#positions[this.#slotOf(hash)]!
    if (units[position] !== to - from) return -1
    const start = ++position
    for (let at = from; at < to; at++) {
      if (units[position++] !== text.charCodeAt(at)) return -1
    }
    return start
  }

  /** Adds a run and returns the position for its word lengths, or -1 if it is too long. */
  add(hash: number, text: string, from: number, to: number): number {
    if (to - from > maxRunLength) return -1
    if (this.#end + 1 + to - from > this.#units.length) this.#end = 0
    this.#positions[this.#slotOf(hash)] = this.#end
    this.#units[this.#end++] = to - from
    const start = this.#end
    for (let at = from; at < to; at++) this.#units[this.#end++] = text.charCodeAt(at)
    return start
  }

  #slotOf = (hash: number) => hash & (this.#positions.length - 1)
}
