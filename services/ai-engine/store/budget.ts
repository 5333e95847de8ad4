import * as z from 'zod'
import { newId } from '../../_kit/ids.ts'
import { fragment, type Sql, type SqlFragment } from '../../_kit/sql/sql.ts'
import type { Lease } from './lease.ts'

/** Maximum number of tokens by subject; undefined: no limit. */
export interface BudgetLimits {
  organization: number | undefined
  user: number | undefined
  matter: number | undefined
}

type Subject = Pick<Lease, 'organization_id' | 'user_id' | 'matter_id'>

export interface Budgets {
  /**
   * Reserves the input tokens of a call. Throws BUDGET_EXCEEDED if the call would exceed a budget, together with the
   * reservations of concurrent calls of all replicas. Returns the function that ends the reservation, to be called
   * when the use of the call is recorded.
   */
  reserve(sql: Sql, subject: Subject, tokens: number): Promise<() => Promise<void>>
}

/**
 * Returns null if there is no limit. A reservation of a process that died ends after `reservationMs`, the longest
 * time that a call may take.
 */
export function openBudgets(limits: BudgetLimits, reservationMs: number): Budgets | null {
  if (Object.values(limits).every((limit) => limit === undefined)) return null
  return {
    async reserve(sql, subject, tokens) {
      const { organization_id, user_id, matter_id } = subject
      const id = newId()
      await sql.transaction(async (sql) => {
        await sql`select pg_advisory_xact_lock(hashtext(${`ai_engine.budget:${organization_id}`}::text))`
        await checkBudgets(sql, limits, subject, tokens)
        await sql`
          insert into ai_engine.budget_reservations (id, organization_id, user_id, matter_id, tokens, expires_at)
          values (${id}, ${organization_id}, ${user_id}, ${matter_id}, ${tokens},
            now() + ${reservationMs} * interval '1 millisecond')`
      })
      return async () => {
        // A reservation that cannot be deleted expires.
        await sql`delete from ai_engine.budget_reservations where id = ${id}`.catch(() => {})
      }
    },
  }
}

const Used = z.object({ tokens: z.coerce.number() })

/** Calls since the start of the calendar month in UTC. */
const thisMonth = fragment`created_at >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'`

/** Tokens of an organization that count for its budget. */
export async function loadTokensOfMonth(sql: Sql, organizationId: string): Promise<number> {
  const used = await sql.row(Used)`
    select coalesce(sum(input_tokens + output_tokens), 0) as tokens from ai_engine.calls
    where organization_id = ${organizationId} and kind = 'model' and ${thisMonth}`
  return used!.tokens
}

/**
 * Organization and user count per calendar month in UTC, a matter counts from its start. Replayed calls cost nothing
 * and are not checked.
 */
async function checkBudgets(
  sql: Sql,
  limits: BudgetLimits,
  { organization_id, user_id, matter_id }: Subject,
  tokens: number,
): Promise<void> {
  const ofUser = fragment`user_id = ${user_id}`
  const inMatter = fragment`thread_id in (select thread_id from ai_engine.threads
    where organization_id = ${organization_id} and matter_id = ${matter_id})`
  const subjects: [keyof BudgetLimits, SqlFragment | null, SqlFragment][] = [
    ['organization', thisMonth, fragment`true`],
    ['user', user_id === null ? null : fragment`${ofUser} and ${thisMonth}`, ofUser],
    ['matter', matter_id === null ? null : inMatter, fragment`matter_id = ${matter_id}`],
  ]
  for (const [name, recorded, reserved] of subjects) {
    const limit = limits[name]
    if (limit === undefined || recorded === null) continue
    const used = await sql.row(Used)`
      select (select coalesce(sum(input_tokens + output_tokens), 0) from ai_engine.calls
          where organization_id = ${organization_id} and kind = 'model' and ${recorded})
        + (select coalesce(sum(tokens), 0) from ai_engine.budget_reservations
          where organization_id = ${organization_id} and expires_at > now() and ${reserved}) as tokens`
    if (used!.tokens + tokens > limit) throw exceeded(name, limit)
  }
}

const exceeded = (subject: string, limit: number) => ({
  code: 'BUDGET_EXCEEDED',
  message: `The budget of the ${subject} is used up (${limit} tokens). Ask an administrator to raise it.`,
})

export const deleteExpiredReservations = (sql: Sql) =>
  sql`delete from ai_engine.budget_reservations where expires_at <= now()`
