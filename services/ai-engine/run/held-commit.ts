import type { CallRow } from '../store/calls.ts'
import type { RunEvent } from '../store/commit.ts'

/** The commit of the step before a running one. */
export interface PreviousCommit {
  /** Waits until the previous step is committed. */
  settled(): Promise<void>
  /**
   * Commits the first events and calls of the running step together with the previous step. Returns false if the
   * previous step is committed without them: they still have to be written.
   */
  commitWith(lines: RunEvent[], calls: CallRow[]): Promise<boolean>
}

/** The previous step is committed. */
export const committedBefore: PreviousCommit = {
  settled: async () => {},
  commitWith: async () => false,
}

/** Time in which a model or a tool may respond before the previous step is committed without waiting for it. */
const holdMs = 20

/**
 * Holds the commit of a step until the next one writes, but not for long: a fast response then costs one commit
 * instead of two.
 */
export function holdCommit(
  commit: (lines: RunEvent[], calls: CallRow[]) => Promise<void>,
  onFailure: (thrown: unknown) => void,
): PreviousCommit {
  let committing: Promise<void> | undefined
  const timer = setTimeout(() => void settled().catch(() => {}), holdMs)

  function start(lines: RunEvent[], calls: CallRow[]) {
    clearTimeout(timer)
    committing = commit(lines, calls)
    committing.catch(onFailure)
    return committing
  }
  const settled = () => committing ?? start([], [])

  return {
    settled,
    async commitWith(lines, calls) {
      const isFirst = committing === undefined
      await (isFirst ? start(lines, calls) : committing)
      return isFirst
    },
  }
}
