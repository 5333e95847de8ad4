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

const Envelope = z.object({
  code: z.union([z.number(), z.string()]),
  message: z.string(),
  data: z.unknown(),
})

/** Result of a request: a finished run, a final rejection or a failure that can be retried. */
export type ApplyResult =
  | { run: Run }
  | { rejected: { reason: string; message: string } }
  | { retryable: { reason: string; message: string } }

export interface CollectorOptions {
  /** URL of collector-service with the placeholders `{suite}` and `{namespace}`. */
  address: string
  timeoutMs?: number
  fetch?: typeof fetch
}

export const defaultAddress = 'http://{suite}-collector.{namespace}.svc:8080'

/** Fills in the placeholders of the address. */
export const collectorUrl = (address: string, { metadata }: LegalSuite) =>
  address.replaceAll('{suite}', metadata.name).replaceAll('{namespace}', metadata.namespace)

const finalReasons: Record<string, string> = {
  PLAN_MOVED: 'PlanMoved',
  NOT_FOUND: 'PackageNotFound',
  MANIFEST_INVALID: 'ManifestInvalid',
  VALIDATION_FAILED: 'RequestRefused',
  CONFLICT: 'RunConflict',
}

export type Collector = ReturnType<typeof makeCollector>

/** Requests an apply from collector-service. Idempotent: requests with the same run id share one run. */
export function makeCollector({ address, timeoutMs = 240_000, ...options }: CollectorOptions) {
  const send = options.fetch ?? fetch

  return async function apply(
    suite: LegalSuite,
    key: string,
    runId: string,
    spec: SeedPackageApplySpec,
    signal: AbortSignal,
  ): Promise<ApplyResult> {
    const base = collectorUrl(address, suite)
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
        // A redirect would carry the internal key to another server.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      })
      text = await readText(response)
    } catch {
      signal.throwIfAborted()
      return {
        retryable: { reason: 'CollectorUnavailable', message: 'collector-service did not respond' },
      }
    }
    return parseResponse(response.status, text)
  }
}

/** Results have one line per item, so a longer response is not one. */
const maxResponseBytes = 16 * 1024 * 1024

/** Reads the response up to the limit: one suite must not exhaust the memory that all suites share. */
export async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxResponseBytes) throw new Error(`response exceeds ${maxResponseBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const invalidResponse = (status: number): ApplyResult => ({
  retryable: {
    reason: 'CollectorUnavailable',
    message: `collector-service returned an invalid response (HTTP ${status})`,
  },
})

function parseResponse(status: number, text: string): ApplyResult {
  const envelope = Envelope.safeParse(parseJson(text))
  if (!envelope.success) return invalidResponse(status)
  const { code, message, data } = envelope.data
  if (status === 200) {
    const run = Run.safeParse(data)
    if (!run.success) return invalidResponse(status)
    if (run.data.status !== 'running') return { run: run.data }
    return { retryable: { reason: 'RunInProgress', message: 'the run is in progress' } }
  }
  if (code === 'APPLY_IN_PROGRESS') return { retryable: { reason: 'ApplyInProgress', message } }
  if (status === 401)
    return {
      retryable: { reason: 'KeyRefused', message: 'collector-service rejected the internal key' },
    }
  const reason = finalReasons[String(code)]
  return reason
    ? { rejected: { reason, message } }
    : { retryable: { reason: 'CollectorFailed', message } }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
