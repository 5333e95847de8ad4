import * as z from 'zod'
import type { LegalSuite } from '../api/legal-suite.ts'
import type { SeedPackageApplySpec } from '../api/seed-package-apply.ts'

const Counts = z.object({
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  deleted: z.int(),
})

const Run = z.object({
  run_id: z.string(),
  plan_hash: z.string().nullish(),
  status: z.enum(['running', 'succeeded', 'failed', 'partial']),
  packages: z.array(
    z.object({
      package_id: z.string(),
      version: z.string(),
      checksum: z.string(),
      status: z.string(),
      items: z.array(
        z.object({
          item_id: z.string(),
          kind: z.string(),
          status: z.string(),
          counts: Counts,
          error: z.string().nullish(),
        }),
      ),
    }),
  ),
})
export type Run = z.infer<typeof Run>

const Answer = z.object({
  code: z.union([z.number(), z.string()]),
  message: z.string(),
  data: z.unknown(),
})

/** What came of asking: the run, a no that stands, or nothing that one may rely on yet. */
export type Asked =
  | { run: Run }
  | { refused: { reason: string; message: string } }
  | { later: { reason: string; message: string } }

export interface CollectorOptions {
  /** Where collector-service of a suite is, `{suite}` and `{namespace}` filled in. */
  address: string
  timeout?: number
  fetch?: typeof fetch
}

export const usualAddress = 'http://{suite}-collector.{namespace}.svc:8080'

const refusals: Record<string, string> = {
  PLAN_MOVED: 'PlanMoved',
  NOT_FOUND: 'PackageNotFound',
  MANIFEST_INVALID: 'ManifestInvalid',
  VALIDATION_FAILED: 'RequestRefused',
  CONFLICT: 'RunConflict',
}

export type Collector = ReturnType<typeof makeCollector>

/** Asks collector-service to apply. The run id makes it safe to ask again: the same one is one run. */
export function makeCollector({ address, timeout = 240_000, ...given }: CollectorOptions) {
  const send = given.fetch ?? fetch

  return async function apply(
    suite: LegalSuite,
    key: string,
    runId: string,
    spec: SeedPackageApplySpec,
    signal: AbortSignal,
  ): Promise<Asked> {
    const base = address
      .replaceAll('{suite}', suite.metadata.name)
      .replaceAll('{namespace}', suite.metadata.namespace)
    const { packageIds, dryRun = false, force = false, expectPlanHash } = spec
    const body = {
      run_id: runId,
      package_ids: packageIds,
      dry_run: dryRun,
      force,
      ...(expectPlanHash && { expect_plan_hash: expectPlanHash }),
    }
    let response: Response
    let text: string
    try {
      response = await send(`${base}/api/v1/internal/seed-packages/apply-internal`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-internal-api-key': key,
          'x-request-id': runId,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      })
      text = await response.text()
    } catch {
      signal.throwIfAborted()
      return {
        later: { reason: 'CollectorUnavailable', message: 'collector-service does not answer' },
      }
    }
    return read(response.status, text)
  }
}

function read(status: number, text: string): Asked {
  const answer = Answer.safeParse(json(text))
  if (!answer.success) {
    const message = `collector-service gave an answer that is none of its own (HTTP ${status})`
    return { later: { reason: 'CollectorUnavailable', message } }
  }
  const { code, message, data } = answer.data
  if (status === 200) {
    const run = Run.parse(data)
    if (run.status !== 'running') return { run }
    return { later: { reason: 'RunInProgress', message: 'the run goes on' } }
  }
  if (code === 'APPLY_IN_PROGRESS') return { later: { reason: 'ApplyInProgress', message } }
  if (status === 401)
    return { later: { reason: 'KeyRefused', message: 'the internal key is refused' } }
  const reason = refusals[String(code)]
  return reason
    ? { refused: { reason, message } }
    : { later: { reason: 'CollectorFailed', message } }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
