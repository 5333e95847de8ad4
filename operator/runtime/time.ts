/** Resolves after the time or on abort. The caller checks the signal. */
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

/** A signal that aborts at the deadline or with the outer signal. `end` releases both. */
export function withDeadline(milliseconds: number, outer?: AbortSignal) {
  const controller = new AbortController()
  const abort = () => controller.abort(outer?.reason)
  const onDeadline = () =>
    controller.abort(new DeadlineError(`deadline of ${milliseconds} ms exceeded`))
  const timer = milliseconds === Infinity ? undefined : setTimeout(onDeadline, milliseconds)
  if (outer?.aborted) abort()
  else outer?.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    abort: (reason?: unknown) => controller.abort(reason),
    /** Removes the deadline. The outer signal stays. */
    relax: () => clearTimeout(timer),
    end() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
    },
  }
}

/** Adds up to 20 % in both directions, so that retries do not synchronize. */
export const withJitter = (milliseconds: number, random = Math.random) =>
  milliseconds * (0.8 + 0.4 * random())

/** Exponential backoff with jitter, reset on success. */
export function makeBackoff(baseMs: number, maxMs: number, random = Math.random) {
  let failures = 0
  return {
    next: () => withJitter(Math.min(baseMs * 2 ** failures++, maxMs), random),
    reset() {
      failures = 0
    },
    get failures() {
      return failures
    },
  }
}

/** Rejects with the reason of the signal if it aborts before the promise settles. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    const end = () => signal.removeEventListener('abort', abort)
    promise.finally(end).then(resolve, reject)
  })
}
