/** Longest time that a computation keeps the event loop, in milliseconds. */
const sliceMs = 5

/**
 * Splits a long computation into slices, so that other requests are served in between. On workerd the clock
 * stands still during a computation, so there it runs in one slice.
 */
export class TimeSlice {
  #until = performance.now() + sliceMs

  get isOver() {
    return performance.now() > this.#until
  }

  /** Lets the event loop run once and begins the next slice. */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (typeof setImmediate === 'function') setImmediate(resolve)
      else setTimeout(resolve)
    })
    this.#until = performance.now() + sliceMs
  }
}

/** Maps a list in slices. The result is that of `list.map`. */
export async function mapInSlices<T, Result>(
  list: readonly T[],
  map: (each: T, index: number) => Result,
): Promise<Result[]> {
  const slice = new TimeSlice()
  const results: Result[] = []
  for (const [index, each] of list.entries()) {
    if (slice.isOver) await slice.pause()
    results.push(map(each, index))
  }
  return results
}
