export interface Scored {
  base: number
  seq: number
  score: number
}

const order = (a: Scored, b: Scored) => b.score - a.score || a.base - b.base || a.seq - b.seq

/** Keeps the best few of many. */
export class Top {
  threshold = 0
  readonly #most: number
  #kept: Scored[] = []

  constructor(most: number) {
    this.#most = most
  }

  add(scored: Scored) {
    if (this.#kept.push(scored) < this.#most * 2 + 64) return
    this.#kept = this.sorted()
    // What equals the last may come before it by its place, so only less than that is out.
    this.threshold = this.#kept.at(-1)!.score * (1 - 1e-6)
  }

  sorted(): Scored[] {
    return this.#kept.sort(order).slice(0, this.#most)
  }
}
