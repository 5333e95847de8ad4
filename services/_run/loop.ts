import { errorFields, type Log } from '../_kit/log.ts'
import type { Started } from '../_kit/service.ts'

/** Runs the background work of a service until stopped: continuously while there is work, else every second. */
export function startLoop({ tick, sweep }: Started, log: Log, idleMs = 1_000, sweepMs = 300_000) {
  let stopped = false
  let wake: (() => void) | undefined
  let swept = -sweepMs

  const loop = (async () => {
    while (!stopped) {
      let ran = 0
      try {
        if (performance.now() - swept >= sweepMs) {
          swept = performance.now()
          await sweep()
        }
        ran = await tick()
      } catch (thrown) {
        log.warn(errorFields(thrown), 'background work failed')
      }
      if (ran > 0 || stopped) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, idleMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  })()

  return async function stop() {
    stopped = true
    wake?.()
    await loop
  }
}
