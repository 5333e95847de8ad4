/** Runs tasks, at most `limit` at a time, in the order of their calls. */
export function makeSemaphore(limit: number) {
  let running = 0
  const waiting: (() => void)[] = []
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (running >= limit) await new Promise<void>((resume) => waiting.push(resume))
    else running++
    try {
      return await task()
    } finally {
      // A waiting task takes over the slot, so that a new call cannot overtake it.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
