/** Cache of the most recently used values, bounded by their total size. */
export class Lru<Value> {
  #size = 0
  readonly #maxSize: number
  readonly #sizeOf: (value: Value) => number
  readonly #kept = new Map<string, { value: Value; size: number }>()
  /** Continues after the last evicted key. A new iterator would skip the slots of all evicted keys again. */
  #oldest = this.#kept.keys()

  constructor(maxSize: number, measureSize: (value: Value) => number) {
    this.#maxSize = maxSize
    this.#sizeOf = measureSize
  }

  get(key: string): Value | undefined {
    const found = this.#kept.get(key)
    if (!found) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, found)
    return found.value
  }

  set(key: string, value: Value): void {
    this.#drop(key)
    const size = this.#sizeOf(value)
    this.#kept.set(key, { value, size })
    this.#size += size
    while (this.#size > this.#maxSize) this.#dropOldest()
  }

  #dropOldest() {
    const { value: oldest, done } = this.#oldest.next()
    if (done) this.#oldest = this.#kept.keys()
    else this.#drop(oldest)
  }

  #drop(key: string) {
    this.#size -= this.#kept.get(key)?.size ?? 0
    this.#kept.delete(key)
  }
}
