/** Deterministic pseudo-random numbers. */
export function makeRandom(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const integerBelow = (bound: number) => Math.floor(next() * bound)
  return {
    integerBelow: integerBelow,
    between: (min: number, max: number) => min + integerBelow(max - min + 1),
    chance: (share: number) => next() < share,
    pick: <T>(list: readonly T[]): T => list[integerBelow(list.length)]!,
    /** Picks by Zipf's law: the n-th element has a weight of 1/n. */
    zipf: <T>(list: readonly T[]): T => list[Math.floor((list.length + 1) ** next()) - 1]!,
  }
}

export type Random = ReturnType<typeof makeRandom>
