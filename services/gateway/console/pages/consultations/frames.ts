/** Delay in a tab that is not visible, where no frames are drawn. */
const hiddenDelayMs = 100
/** A frame that took longer is followed by a pause, so that input and scrolling have their turn. */
const frameBudgetMs = 12

/** Calls `apply` with the last scheduled value, at most once for each frame. */
export function makeFrames<T>(apply: (value: T) => void) {
  let cancel: (() => void) | undefined
  let latest: T
  /** Time that the last frame took, rendering included. */
  let costMs = 0
  const run = () => {
    cancel = undefined
    const startedAt = performance.now()
    apply(latest)
    // Components render after this function, and before the next task.
    setTimeout(() => {
      costMs = performance.now() - startedAt
    })
  }
  return {
    schedule(value: T) {
      latest = value
      cancel ??= nextFrame(run, costMs > frameBudgetMs ? 2 * costMs : 0)
    },
    cancel() {
      cancel?.()
      cancel = undefined
    },
  }
}

/** Runs a function in a frame after a pause. Returns a function that prevents it. */
function nextFrame(run: () => void, pauseMs: number): () => void {
  let isCancelled = false
  const runUnlessCancelled = () => {
    if (!isCancelled) run()
  }
  if (document.visibilityState !== 'visible') setTimeout(runUnlessCancelled, hiddenDelayMs)
  else if (pauseMs === 0) requestAnimationFrame(runUnlessCancelled)
  else setTimeout(() => requestAnimationFrame(runUnlessCancelled), pauseMs)
  return () => {
    isCancelled = true
  }
}
