/** Keeps what was used last, within a bound on the size of it all. */
export class Lru<Value> {
  #size = 0
  readonly #most: number
  readonly #sizeOf: (value: Value) => number
  readonly #kept = new Map<string, { value: Value; size: number }>()

  constructor(most: number, sizeOf: (value: Value) => number) {
    this.#most = most
    this.#sizeOf = sizeOf
  }

  get(key: string): Value | undefined {
    const found = this.#kept.get(key)
    if (!found) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, found)
    return found.value
  }

  /** Again under the same key: in place of what was there, measured anew. */
  set(key: string, value: Value): void {
    this.#drop(key)
    const size = this.#sizeOf(value)
    this.#kept.set(key, { value, size })
    this.#size += size
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#most) break
      this.#drop(oldest)
    }
  }

  #drop(key: string) {
    this.#size -= this.#kept.get(key)?.size ?? 0
    this.#kept.delete(key)
  }
}
