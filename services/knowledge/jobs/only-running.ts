import type { JobContext } from '../../_kit/jobs.ts'
import type { Sql } from '../../_kit/sql/sql.ts'

/** Whether no other job of a kind runs: two that do the same at once would do it twice. */
export async function isOnlyRunning(sql: Sql, kind: string, { id }: JobContext): Promise<boolean> {
  const others = await sql`
    select from knowledge.jobs where kind = ${kind} and status = 'RUNNING'
      and lease_until > now() and id::text <> ${id}`
  return others.length === 0
}
