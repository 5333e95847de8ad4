import type { Failure } from './failure.ts'

const stepTimedOut: Failure = { code: 'STEP_TIMEOUT', message: 'A step exceeded its time limit.' }

const attemptEnded: Failure = { code: 'ATTEMPT_ENDED', message: 'The attempt has ended.' }

/** A signal that is aborted with `stop`, after the time limit of a step, and at the end of the attempt. */
export function stepTimeout(stop: AbortSignal, ms: number) {
  const controller = new AbortController()
  const abort = (reason: unknown) => controller.abort(reason)
  const onStop = () => abort(stop.reason)
  stop.addEventListener('abort', onStop)
  if (stop.aborted) onStop()
  const timer = setTimeout(() => abort(stepTimedOut), ms)
  return {
    signal: controller.signal,
    abort,
    /** Ends the attempt: what it left running is stopped and emits nothing more. */
    end() {
      abort(attemptEnded)
      clearTimeout(timer)
      stop.removeEventListener('abort', onStop)
    },
  }
}

/** Rejects when the signal is aborted, even if the work ignores it. */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
    work.then(resolve, reject)
  })
}
