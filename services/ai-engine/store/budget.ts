import * as z from 'zod'
import { fragment, type Sql, type SqlFragment } from '../../_kit/sql/sql.ts'
import type { Lease } from './lease.ts'

/** Maximum number of tokens by subject; undefined: no limit. */
export interface Budgets {
  organization: number | undefined
  user: number | undefined
  matter: number | undefined
}

const Spent = z.object({ tokens: z.coerce.number() })

/**
 * Throws BUDGET_EXCEEDED if a call of this size would exceed a budget. Organization and user count per
 * calendar month in UTC, a matter counts from its start. Replayed calls cost nothing and are not checked.
 */
export async function checkBudgets(
  sql: Sql,
  budgets: Budgets,
  { organization_id, user_id, matter_id }: Lease,
  inputTokens: number,
): Promise<void> {
  const month = fragment`created_at >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'`
  const subjects: [name: string, limit: number | undefined, condition: SqlFragment | null][] = [
    ['organization', budgets.organization, month],
    ['user', budgets.user, user_id === null ? null : fragment`user_id = ${user_id} and ${month}`],
    [
      'matter',
      budgets.matter,
      matter_id === null
        ? null
        : fragment`thread_id in (select thread_id from ai_engine.threads
            where organization_id = ${organization_id} and matter_id = ${matter_id})`,
    ],
  ]
  for (const [name, limit, condition] of subjects) {
    if (limit === undefined || condition === null) continue
    const spent = await sql.row(Spent)`
      select coalesce(sum(input_tokens + output_tokens), 0) as tokens from ai_engine.calls
      where organization_id = ${organization_id} and kind = 'model' and ${condition}`
    if (spent!.tokens + inputTokens > limit) throw exceeded(name, limit)
  }
}

const exceeded = (subject: string, limit: number) => ({
  code: 'BUDGET_EXCEEDED',
  message: `The budget of the ${subject} is used up (${limit} tokens). Ask an administrator to raise it.`,
})
