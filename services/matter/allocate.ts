import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import { loadLatestVersion } from './analysis.ts'
import { commitChange } from './commit-change.ts'
import { post } from './deps.ts'
import { Name } from './fields.ts'
import { ById, lockMatter } from './matter.ts'
import { bodySchema } from './playbook.ts'
import { engineActor, serviceGuard, visibleToService } from './scope.ts'

const Allocation = z
  .object({
    kind: z
      .string()
      .min(1)
      .max(100)
      .nullish()
      .describe('Label of the version. A matter has one sequence for all kinds.'),
    allocation_key: Name.nullish().describe(
      'Idempotency key: the same key returns the same version.',
    ),
  })
  .meta({ examples: [{ kind: 'evidence', allocation_key: 'run-1' }] })

const Allocated = z.object({ version: z.int().min(1) })

export const allocate = [
  post(
    '/api/v1/internal/matters/:id/analysis/versions/allocate',
    {
      summary: 'Allocate an analysis version',
      description: 'Versions are 1, 2, 3, … without gaps or duplicates, also under concurrency.',
      guard: serviceGuard,
      params: ById,
      body: bodySchema(Allocation.prefault({})),
      responses: { 200: Allocated },
    },
    async (c, { params, body: { kind, allocation_key } }) => {
      const version = await c.env.sql.transaction(async (sql) => {
        const matter = await lockMatter(sql, visibleToService(c.var.caller), params.id)
        const existing = allocation_key && (await findAllocation(sql, matter.id, allocation_key))
        if (existing) return existing.version
        const from = await loadLatestVersion(sql, matter.id)
        const to = from + 1
        await sql`
          insert into matter.analysis_versions (matter_id, version, kind, allocation_key)
          values (${matter.id}, ${to}, ${kind ?? null}, ${allocation_key ?? null})`
        await commitChange(sql, matter, engineActor, {
          type: 'analysis.allocated',
          summary: `Allocated analysis version ${to}${kind ? ` (${kind})` : ''}.`,
          from: { analysis_version: from },
          to: { analysis_version: to },
        })
        return to
      })
      return ok(c, { version })
    },
  ),
]

const findAllocation = (sql: Sql, matterId: string, key: string) => sql.row(Allocated)`
  select version from matter.analysis_versions
  where matter_id = ${matterId} and allocation_key = ${key}`
