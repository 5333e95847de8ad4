/** Delay in a tab that is not visible, where no frames are drawn. */
const hiddenDelayMs = 100

/** Calls `apply` with the last scheduled value, at most once for each frame. */
export function makeFrames<T>(apply: (value: T) => void) {
  let cancel: (() => void) | undefined
  let latest: T
  const run = () => {
    cancel = undefined
    apply(latest)
  }
  return {
    schedule(value: T) {
      latest = value
      cancel ??= nextFrame(run)
    },
    cancel() {
      cancel?.()
      cancel = undefined
    },
  }
}

function nextFrame(run: () => void): () => void {
  if (document.visibilityState === 'visible') {
    const frame = requestAnimationFrame(run)
    return () => cancelAnimationFrame(frame)
  }
  const timer = setTimeout(run, hiddenDelayMs)
  return () => clearTimeout(timer)
}
