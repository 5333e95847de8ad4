import { type ClaimedJob, claim, release, run, type Worker } from './jobs.ts'

/** Maximum number of concurrent jobs of one kind per process, so that slow jobs do not delay other kinds. */
const defaultKindLimit = 2

/** Runs jobs in the background, each kind with its own limit. */
export function makeJobPool<Deps>(worker: Worker<Deps>, kindLimit = defaultKindLimit) {
  const running = new Map<ClaimedJob, Promise<void>>()
  const stopping = new AbortController()

  function freeSlots(): Map<string, number> {
    const jobs = [...running.keys()]
    const slots = Object.keys(worker.handlers).map(
      (kind) => [kind, kindLimit - jobs.filter((job) => job.kind === kind).length] as const,
    )
    return new Map(slots.filter(([, free]) => free > 0))
  }

  return {
    /** Starts due jobs in free slots and returns their number. `onEnd` is called when one ends. */
    async startDue(onEnd: () => void): Promise<number> {
      const free = freeSlots()
      if (free.size === 0 || stopping.signal.aborted) return 0
      const jobs = await claim(worker, free, 100)
      // Stopped meanwhile: nothing waits for these jobs any more.
      if (stopping.signal.aborted) {
        await Promise.all(jobs.map((job) => release(worker, job)))
        return 0
      }
      for (const job of jobs) {
        const end = () => {
          running.delete(job)
          onEnd()
        }
        running.set(job, run(worker, job, stopping.signal).then(end, end))
      }
      return jobs.length
    },

    /**
     * Aborts running jobs and waits for them. Jobs that ignore the signal are released after `graceMs`, so
     * that another process continues them.
     */
    async stop(graceMs: number): Promise<void> {
      stopping.abort(new Error('shutting down'))
      const ended = Promise.all(running.values())
      let timer: ReturnType<typeof setTimeout> | undefined
      const expired = new Promise((resolve) => {
        timer = setTimeout(resolve, graceMs)
      })
      await Promise.race([ended, expired])
      clearTimeout(timer)
      await Promise.allSettled([...running.keys()].map((job) => release(worker, job)))
    },
  }
}
