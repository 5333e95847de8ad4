/**
 * Aborts its signal after a time without activity. One timer checks periodically, so that `reset` only
 * reads the clock.
 */
export function idleTimeout(ms: number, outer: AbortSignal) {
  const controller = new AbortController()
  let lastActivity = Date.now()
  let timer = setTimeout(check, ms)

  function check() {
    const left = lastActivity + ms - Date.now()
    if (left <= 0) controller.abort(new Error('silence'))
    else timer = setTimeout(check, left)
  }

  return {
    signal: AbortSignal.any([outer, controller.signal]),
    silent: () => controller.signal.aborted,
    reset() {
      lastActivity = Date.now()
    },
    stop: () => clearTimeout(timer),
  }
}

/** Waits for a time. Rejects when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
