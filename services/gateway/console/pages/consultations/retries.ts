import { ApiError } from '../../api/client.ts'

const firstPauseMs = 250
const maxPauseMs = 8_000

/** Whether a request may succeed later: no response, too many requests, or a service that is not available. */
export const isTransient = (thrown: unknown) =>
  !(thrown instanceof ApiError) ||
  thrown.status === 0 ||
  thrown.status === 429 ||
  thrown.status >= 502

/** Pauses between attempts, each longer than the one before. A network that is back ends the pause. */
export function makeRetries(signal: AbortSignal) {
  let wake = () => {}
  const wakeUp = () => wake()
  addEventListener('online', wakeUp, { signal })
  signal.addEventListener('abort', wakeUp)

  const pause = (attempt: number) =>
    new Promise<void>((resolve) => {
      wake = resolve
      setTimeout(resolve, Math.min(maxPauseMs, firstPauseMs * 2 ** attempt))
    })

  return {
    pause,
    /** Runs requests until they succeed or fail for good. */
    async run<T>(request: () => Promise<T>, onLoss: () => void): Promise<T> {
      for (let attempt = 1; ; attempt++) {
        try {
          return await request()
        } catch (thrown) {
          signal.throwIfAborted()
          if (!isTransient(thrown)) throw thrown
          onLoss()
          await pause(attempt)
        }
      }
    },
  }
}
export type Retries = ReturnType<typeof makeRetries>
