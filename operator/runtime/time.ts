/** Resolves after the time, or at once when the signal is aborted: who waits looks at the signal. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
  })
}

export class DeadlineError extends Error {
  override name = 'DeadlineError'
}

/** A signal that is aborted at the deadline, or together with the given one. `end` lets go of both. */
export function within(milliseconds: number, outer?: AbortSignal) {
  const controller = new AbortController()
  const abort = () => controller.abort(outer?.reason)
  const late = () => controller.abort(new DeadlineError(`no end within ${milliseconds} ms`))
  const timer = milliseconds === Infinity ? undefined : setTimeout(late, milliseconds)
  if (outer?.aborted) abort()
  else outer?.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    abort: (reason?: unknown) => controller.abort(reason),
    /** From here on only the given signal ends it. */
    relax: () => clearTimeout(timer),
    end() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
    },
  }
}

/** Up to a fifth more or less, so that many who wait for the same do not come back together. */
export const jittered = (milliseconds: number, random = Math.random) =>
  milliseconds * (0.8 + 0.4 * random())

/** Waits that double from the first to the most, with jitter, until a success resets them. */
export function makeBackoff(first: number, most: number, random = Math.random) {
  let failures = 0
  return {
    next: () => jittered(Math.min(first * 2 ** failures++, most), random),
    reset() {
      failures = 0
    },
    get failures() {
      return failures
    },
  }
}
