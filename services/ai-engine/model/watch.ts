/**
 * A signal that fires when nothing was heard for a while. One timer looks now and then, so that hearing
 * costs no more than a glance at the clock.
 */
export function watchSilence(ms: number, outer: AbortSignal) {
  const controller = new AbortController()
  let last = Date.now()
  let timer = setTimeout(look, ms)

  function look() {
    const left = last + ms - Date.now()
    if (left <= 0) controller.abort(new Error('silence'))
    else timer = setTimeout(look, left)
  }

  return {
    signal: AbortSignal.any([outer, controller.signal]),
    silent: () => controller.signal.aborted,
    heard() {
      last = Date.now()
    },
    stop: () => clearTimeout(timer),
  }
}

/** Waits, unless there is no more reason to. */
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
