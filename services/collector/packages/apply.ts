import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../../_kit/context.ts'
import { ok } from '../../_kit/endpoint.ts'
import { invalid } from '../../_kit/fault.ts'
import { Id } from '../../_kit/fields.ts'
import { sha256Hex } from '../../_kit/hash.ts'
import { keyHeader } from '../../_kit/idempotency.ts'
import { printable } from '../../_kit/identity.ts'
import { type Deps, post } from '../deps.ts'
import { applyGuard } from '../permission.ts'
import { type ApplyRequest, applyPackages } from './apply-packages.ts'
import { ByPackage, path } from './packages.ts'
import { SeedRun } from './run.ts'

const ApplyBody = z.object({
  dry_run: z
    .boolean()
    .default(false)
    .describe('Return the plan without changing anything. Default: false.'),
  force: z
    .boolean()
    .default(false)
    .describe('Apply packages again that are unchanged since their last apply. Default: false.'),
  expect_plan_hash: z
    .string()
    .max(200)
    .nullish()
    .transform((hash) => hash ?? null)
    .describe('plan_hash of a dry run. 409 PLAN_MOVED if the plan has changed since.'),
  run_id: Id.optional().describe('Id of the run. A repeated id returns the same run.'),
})

const ApplyManyBody = ApplyBody.extend({
  package_ids: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(100)
    .describe('Packages in the order in which they are applied.'),
})

const spec = {
  responses: { 200: SeedRun },
  faults: ['NOT_FOUND', 'CONFLICT', 'MANIFEST_INVALID', 'UPSTREAM_UNAVAILABLE'],
  idempotencyKey: 'itself',
  description:
    'Failed items are reported in the response, with status `failed`, or `partial` if another package succeeded. 409 `APPLY_IN_PROGRESS` if another run is applying one of the packages.',
} as const

export const apply = [
  post(
    '/api/v1/seed-packages/:package_id/apply',
    {
      summary: 'Apply a seed package',
      guard: applyGuard,
      params: ByPackage,
      body: ApplyBody.prefault({}),
      ...spec,
    },
    async (c, { params, body: { run_id, ...options } }) =>
      respond(c, { package_ids: [params.package_id], ...options }, run_id),
  ),

  post(
    `${path}/apply-internal`,
    {
      summary: 'Apply seed packages',
      body: ApplyManyBody,
      example: { package_ids: ['platform_defaults'], dry_run: true },
      ...spec,
    },
    async (c, { body: { run_id, ...request } }) => respond(c, request, run_id),
  ),
]

async function respond(c: Context<Env<Deps>>, request: ApplyRequest, runId: string | undefined) {
  const keyRunId = await runIdFromKey(c)
  const requestedId = runId?.toLowerCase() ?? keyRunId
  const { requestId, traceparent, caller } = c.var
  const { run, repeated } = await applyPackages(c.env, request, {
    runId: requestedId,
    requestedBy: caller.userId ?? 'internal',
    trace: { requestId, traceparent },
  })
  if (repeated && c.req.header('idempotency-key')) c.header('Idempotency-Replayed', 'true')
  return ok(c, run)
}

/**
 * Derives the run id from the Idempotency-Key. A run calls other services, which is not allowed inside the
 * transaction of a stored response, so the run itself is the idempotency record.
 */
async function runIdFromKey(c: Context<Env<Deps>>): Promise<string | undefined> {
  const key = c.req.header('idempotency-key')
  if (key === undefined) return undefined
  if (key.length > keyHeader.schema.maxLength || !printable.test(key)) {
    throw invalid([
      { path: 'Idempotency-Key', message: 'Must have 1 to 255 printable characters.' },
    ])
  }
  const { organizationId = '' } = c.var.caller
  const digest = await sha256Hex(`${organizationId} ${c.req.method} ${c.req.path} ${key}`)
  const parts = [
    [0, 8],
    [8, 12],
    [13, 16],
    [17, 20],
    [20, 32],
  ].map(([from, to]) => digest.slice(from, to))
  return `${parts[0]}-${parts[1]}-8${parts[2]}-8${parts[3]}-${parts[4]}`
}
