/** Doubles an array. */
export const enlarge = (list: Int32Array) => {
  const larger = new Int32Array(2 * list.length)
  larger.set(list)
  return larger
}

/** Numbers distinct terms in the order of their first occurrence: a hash table of typed arrays. */
export class TermTable {
  /** The terms by number. */
  terms = new Int32Array(1 << 13)
  count = 0
  /** Number of the term in each slot, plus one; 0 if the slot is free. At most half are taken. */
  #slots = new Int32Array(1 << 14)
  #shift = 32 - 14
  /** Random and odd: the collisions of crafted terms differ between tables. */
  readonly #factor = (Math.random() * 2 ** 32) | 1

  /** Returns the number of a term, which is `count` before the call if the term is new. */
  numberOf(term: number): number {
    const slot = this.#findSlot(term)
    const number = this.#slots[slot]! - 1
    if (number >= 0) return number
    if (this.count === this.terms.length) this.terms = enlarge(this.terms)
    this.terms[this.count] = term
    this.#slots[slot] = ++this.count
    if (2 * this.count > this.#slots.length) this.#rehash()
    return this.count - 1
  }

  /** Returns the slot of a term, or the free slot for it. */
  #findSlot(term: number): number {
    const slots = this.#slots
    let slot = Math.imul(term, this.#factor) >>> this.#shift
    for (;;) {
      const number = slots[slot]! - 1
      if (number < 0 || this.terms[number] === term) return slot
      slot = (slot + 1) & (slots.length - 1)
    }
  }

  #rehash() {
    this.#slots = new Int32Array(2 * this.#slots.length)
    this.#shift--
    for (let number = 0; number < this.count; number++) {
      this.#slots[this.#findSlot(this.terms[number]!)] = number + 1
    }
  }
}
