import * as z from 'zod'
import type { LegalSuite } from '../api/legal-suite.ts'
import { collectorUrl, readText } from '../seed-package-apply/collector.ts'

const Run = z.object({
  run_id: z.string().min(1).max(128),
  status: z.enum(['running', 'succeeded', 'failed', 'partial']),
  requested_by: z.string(),
  finished_at: z.string().nullish(),
  packages: z.array(
    z.object({
      package_id: z.string().min(1).max(128),
      version: z.string().max(128),
      status: z.string().min(1).max(32),
    }),
  ),
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
 * no reconcile. A succeeded run is final for a rollout of collector-service. After a failed one collector-service
 * may be restarted without a rollout.
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
          (await fetchStartupRun(collectorUrl(address, suite), key, timeoutMs, suite)) ?? entry.run
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
      const isFinal = entry.run?.status === 'succeeded'
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

async function fetchStartupRun(
  base: string,
  key: string,
  timeoutMs: number,
  { spec: { seeds } }: LegalSuite,
) {
  const response = await fetch(`${base}/api/v1/internal/seed-packages/runs?size=50`, {
    headers: { 'x-internal-api-key': key },
    // A redirect would carry the internal key to another server.
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  })
  const { data } = Runs.parse(JSON.parse(await readText(response)))
  const run = data.items.find(({ requested_by }) => requested_by === 'startup')
  // A run without a configured package belongs to an earlier rollout.
  const applied = new Set(run?.packages.map(({ package_id }) => package_id))
  return seeds?.packageIds?.every((id) => applied.has(id)) === false ? undefined : run
}
