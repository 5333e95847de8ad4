import type { JobContext } from '../../_kit/jobs.ts'
import type { Sql } from '../../_kit/sql/sql.ts'

/** True if no other job of the kind runs. Concurrent jobs would repeat each other's work. */
export async function isOnlyRunning(sql: Sql, kind: string, { id }: JobContext): Promise<boolean> {
  const others = await sql`
    select from knowledge.jobs where kind = ${kind} and status = 'RUNNING'
      and lease_until > now() and id::text <> ${id}`
  return others.length === 0
}
