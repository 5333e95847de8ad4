import { errorFields, type Log } from '../_kit/log.ts'
import type { Started } from '../_kit/service.ts'

const sweepMs = 300_000

/**
 * Runs the background work of a service until stopped: jobs, the tick of the service and the sweep, each in
 * its own loop so that slow work does not delay the others.
 */
export function startLoop({ serviceTick, jobs, sweep }: Started, log: Log, idleMs = 1_000) {
  const loops = [
    repeat(serviceTick, idleMs, log),
    repeat((wake) => jobs.startDue(wake), idleMs, log),
    repeat(async () => sweep().then(() => 0), sweepMs, log),
  ]

  /** Returns within `graceMs`. Interrupted work is continued by another process. */
  return async function stop(graceMs = 25_000) {
    await Promise.all([jobs.stop(graceMs), ...loops.map((loop) => loop.stop(graceMs))])
  }
}

/** Repeats work at once while it reports progress, else after `pauseMs` or when it calls `wake`. */
function repeat(work: (wake: () => void) => Promise<number>, pauseMs: number, log: Log) {
  let stopped = false
  let wake = () => {}

  const loop = (async () => {
    while (!stopped) {
      let progress = 0
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      try {
        progress = await work(() => wake())
      } catch (thrown) {
        log.warn(errorFields(thrown), 'background work failed')
      }
      if (progress === 0 && !stopped) await Promise.race([woken, pause(pauseMs, woken)])
    }
  })()

  return {
    async stop(graceMs: number) {
      stopped = true
      wake()
      await Promise.race([loop, pause(graceMs, loop)])
    },
  }
}

/** Waits, without keeping the timer after `until` has settled. */
async function pause(ms: number, until: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  until.finally(() => clearTimeout(timer))
  await elapsed
}
