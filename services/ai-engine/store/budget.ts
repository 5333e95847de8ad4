import * as z from 'zod'
import { fragment, type Sql, type SqlFragment } from '../../_kit/sql/sql.ts'
import type { Lease } from './lease.ts'

/** Maximum number of tokens by subject; undefined: no limit. */
export interface BudgetLimits {
  organization: number | undefined
  user: number | undefined
  matter: number | undefined
}

type Subject = Pick<Lease, 'organization_id' | 'user_id' | 'matter_id'>
type Reservation = Subject & { tokens: number }

export interface Budgets {
  /**
   * Reserves the input tokens of a call. Throws BUDGET_EXCEEDED if the call would exceed a budget, together with the
   * reservations of concurrent calls in this process. Returns the function that ends the reservation, to be called
   * when the use of the call is recorded.
   */
  reserve(sql: Sql, subject: Subject, tokens: number): Promise<() => void>
}

/** Returns null if there is no limit. */
export function openBudgets(limits: BudgetLimits): Budgets | null {
  if (Object.values(limits).every((limit) => limit === undefined)) return null
  const reservations = new Set<Reservation>()
  return {
    async reserve(sql, { organization_id, user_id, matter_id }, tokens) {
      const earlier = [...reservations]
      const reservation = { organization_id, user_id, matter_id, tokens }
      reservations.add(reservation)
      const release = () => void reservations.delete(reservation)
      try {
        await checkBudgets(sql, limits, reservation, earlier)
      } catch (thrown) {
        release()
        throw thrown
      }
      return release
    },
  }
}

const Spent = z.object({ tokens: z.coerce.number() })

/**
 * Organization and user count per calendar month in UTC, a matter counts from its start. Replayed calls cost nothing
 * and are not checked.
 */
async function checkBudgets(
  sql: Sql,
  limits: BudgetLimits,
  { organization_id, user_id, matter_id, tokens }: Reservation,
  earlier: Reservation[],
): Promise<void> {
  const month = fragment`created_at >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'`
  const inMatter = fragment`thread_id in (select thread_id from ai_engine.threads
    where organization_id = ${organization_id} and matter_id = ${matter_id})`
  const subjects: [keyof BudgetLimits, SqlFragment | null, (other: Reservation) => boolean][] = [
    ['organization', month, () => true],
    [
      'user',
      user_id === null ? null : fragment`user_id = ${user_id} and ${month}`,
      (other) => other.user_id === user_id,
    ],
    ['matter', matter_id === null ? null : inMatter, (other) => other.matter_id === matter_id],
  ]
  const concurrent = earlier.filter((other) => other.organization_id === organization_id)
  for (const [name, condition, isOf] of subjects) {
    const limit = limits[name]
    if (limit === undefined || condition === null) continue
    const spent = await sql.row(Spent)`
      select coalesce(sum(input_tokens + output_tokens), 0) as tokens from ai_engine.calls
      where organization_id = ${organization_id} and kind = 'model' and ${condition}`
    const reserved = concurrent.filter(isOf).reduce((sum, other) => sum + other.tokens, 0)
    if (spent!.tokens + reserved + tokens > limit) throw exceeded(name, limit)
  }
}

const exceeded = (subject: string, limit: number) => ({
  code: 'BUDGET_EXCEEDED',
  message: `The budget of the ${subject} is used up (${limit} tokens). Ask an administrator to raise it.`,
})
