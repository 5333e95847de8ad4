import * as z from 'zod'
import type { LegalSuite } from '../api/legal-suite.ts'
import { collectorUrl } from '../seed-package-apply/collector.ts'

const Run = z.object({
  run_id: z.string(),
  status: z.enum(['running', 'succeeded', 'failed', 'partial']),
  requested_by: z.string(),
  finished_at: z.string().nullish(),
  packages: z.array(z.object({ package_id: z.string(), version: z.string(), status: z.string() })),
})
const Runs = z.object({ data: z.object({ items: z.array(Run) }) })

/** The newest run that collector-service started by itself. */
export type StartupRun = z.infer<typeof Run>

interface ReaderOptions {
  /** URL of collector-service with the placeholders `{suite}` and `{namespace}`. */
  address: string
  timeoutMs?: number
  /** Milliseconds between two requests for a suite. */
  intervalMs?: number
}

/** Maximum number of cached suites. The least recently read one is dropped first. */
const maxSuites = 2_000

type Entry = { rollout: string; at: number; isLoading: boolean; run?: StartupRun | undefined }

/**
 * Reads the startup seeds of suites in the background, so that a collector-service that does not respond delays
 * no reconcile. A finished run is final for a rollout of collector-service.
 */
export function makeStartupSeedReader({
  address,
  timeoutMs = 10_000,
  intervalMs = 10_000,
}: ReaderOptions) {
  const entries = new Map<string, Entry>()

  async function load(suite: LegalSuite, entry: Entry, loadKey: () => Promise<string | undefined>) {
    try {
      const key = await loadKey()
      if (key)
        entry.run =
          (await fetchStartupRun(collectorUrl(address, suite), key, timeoutMs)) ?? entry.run
    } catch {
      // The run stays unknown. The next reconcile after the interval reads it again.
    } finally {
      entry.isLoading = false
    }
  }

  return {
    /** Returns the last known run of this rollout, and when to read again if it is not final. */
    read(suite: LegalSuite, rollout: string, loadKey: () => Promise<string | undefined>) {
      const { uid } = suite.metadata
      const cached = entries.get(uid)
      const entry: Entry =
        cached?.rollout === rollout ? cached : { rollout, at: -Infinity, isLoading: false }
      entries.delete(uid)
      entries.set(uid, entry)
      for (const [oldest] of entries) if (entries.size > maxSuites) entries.delete(oldest)
      const isFinal = entry.run !== undefined && entry.run.status !== 'running'
      if (!isFinal && !entry.isLoading && performance.now() - entry.at >= intervalMs) {
        entry.at = performance.now()
        entry.isLoading = true
        void load(suite, entry, loadKey)
      }
      if (isFinal) return { run: entry.run, recheckMs: undefined }
      return { run: entry.run, recheckMs: entry.isLoading ? 1_000 : intervalMs }
    },
  }
}

async function fetchStartupRun(base: string, key: string, timeoutMs: number) {
  const response = await fetch(`${base}/api/v1/internal/seed-packages/runs?size=50`, {
    headers: { 'x-internal-api-key': key },
    signal: AbortSignal.timeout(timeoutMs),
  })
  const { data } = Runs.parse(await response.json())
  return data.items.find(({ requested_by }) => requested_by === 'startup')
}
