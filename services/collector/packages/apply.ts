import type { Context } from 'hono'
import * as z from 'zod'
import { type Env, ok } from '../../_kit/endpoint.ts'
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
  dry_run: z.boolean().default(false).describe('Say what would change, and change nothing.'),
  force: z.boolean().default(false).describe('Also what was applied before as it is.'),
  expect_plan_hash: z
    .string()
    .max(200)
    .nullish()
    .transform((hash) => hash ?? null)
    .describe('The plan_hash of a dry run: PLAN_MOVED where the plan is another by now.'),
  run_id: Id.optional().describe('The same id again is the same run, never a second one.'),
})

const ApplyManyBody = ApplyBody.extend({
  package_ids: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(100)
    .describe('Applied in this order.'),
})

const spec = {
  responses: { 200: SeedRun },
  faults: ['NOT_FOUND', 'CONFLICT', 'MANIFEST_INVALID', 'UPSTREAM_UNAVAILABLE'],
  idempotencyKey: 'itself',
  description:
    'An item that fails is told in the answer, whose status is then `failed`, or `partial` where another package went well. Another run on one of the packages is 409 `APPLY_IN_PROGRESS`.',
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
 * A run asks other services, which nothing inside a transaction may, so that its id stands for the
 * key in place of the kept answer.
 */
async function runIdFromKey(c: Context<Env<Deps>>): Promise<string | undefined> {
  const key = c.req.header('idempotency-key')
  if (key === undefined) return undefined
  if (key.length > keyHeader.schema.maxLength || !printable.test(key)) {
    throw invalid([{ path: 'Idempotency-Key', message: '1 to 255 printable characters.' }])
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
