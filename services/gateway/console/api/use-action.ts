import { useState } from 'preact/hooks'

/** A write that a person started: its error, and whether it is under way. */
export interface Action {
  error: unknown
  isRunning: boolean
  /** Runs a write. A failure becomes `error`. */
  run(write: () => Promise<unknown>): Promise<void>
}

export function useAction(): Action {
  const [error, setError] = useState<unknown>()
  const [isRunning, setIsRunning] = useState(false)
  async function run(write: () => Promise<unknown>) {
    setError(undefined)
    setIsRunning(true)
    try {
      await write()
    } catch (thrown) {
      setError(thrown)
    }
    setIsRunning(false)
  }
  return { error, isRunning, run }
}
