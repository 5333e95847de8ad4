import * as z from 'zod'
import { ExternalId } from './fields.ts'
import type { Sql } from './sql/sql.ts'

export const erasurePath = '/api/v1/internal/erasure'

const ids = z.array(ExternalId).max(100_000).default([])

/** Request to erase the data of a person or of a matter. Idempotent. */
export const ErasureRequest = z
  .object({
    user_id: ExternalId.optional(),
    matter_id: ExternalId.optional(),
    dry_run: z.boolean().default(false).describe('Return the counts without erasing.'),
    matter_ids: ids.describe('With user_id: matters of the user.'),
    file_ids: ids.describe('Files of the matters.'),
  })
  .refine(({ user_id, matter_id }) => (user_id === undefined) !== (matter_id === undefined), {
    path: ['user_id'],
    error: 'Send either user_id or matter_id.',
  })
  .meta({
    oneOf: [
      { required: ['user_id'], not: { required: ['matter_id'] } },
      { required: ['matter_id'], not: { required: ['user_id'] } },
    ],
    examples: [{ user_id: 'u-1', dry_run: true }],
  })
export type ErasureRequest = z.output<typeof ErasureRequest>

export const ErasureResponse = z.object({
  erased: z.record(z.string(), z.int()).describe('Number of erased records by kind.'),
})

/** Matters that the request covers. */
export const requestedMatterIds = ({ matter_id, matter_ids }: ErasureRequest) =>
  matter_id === undefined ? matter_ids : [matter_id]

class DryRunRollback<T> extends Error {
  readonly result: T
  constructor(result: T) {
    super('dry run')
    this.result = result
  }
}

/** Runs `erase` in a transaction. A dry run rolls it back, so that its counts are exact. */
export async function eraseInTransaction<T>(
  sql: Sql,
  dryRun: boolean,
  erase: (sql: Sql) => Promise<T>,
): Promise<T> {
  try {
    return await sql.transaction(async (sql) => {
      const result = await erase(sql)
      if (dryRun) throw new DryRunRollback(result)
      return result
    })
  } catch (thrown) {
    if (thrown instanceof DryRunRollback) return thrown.result as T
    throw thrown
  }
}
