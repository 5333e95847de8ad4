/** Cache of the most recently used values, bounded by their total size. */
export class Lru<Value> {
  #size = 0
  readonly #maxSize: number
  readonly #sizeOf: (value: Value) => number
  readonly #kept = new Map<string, { value: Value; size: number }>()

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
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#maxSize) break
      this.#drop(oldest)
    }
  }

  #drop(key: string) {
    this.#size -= this.#kept.get(key)?.size ?? 0
    this.#kept.delete(key)
  }
}
