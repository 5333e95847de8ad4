import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Id, Instant, Time } from '../_kit/fields.ts'
import { PageQuery, pageSchema, selectPage } from '../_kit/page.ts'
import { fragment, join, timestamp } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import { service, visibleToService } from './scope.ts'
import { loadTokensOfMonth } from './store/budget.ts'

const Tokens = {
  input_tokens: z.int(),
  output_tokens: z.int(),
  cached_tokens: z
    .int()
    .describe('Input tokens that the model server had cached; part of input_tokens.'),
}

const Use = z
  .object({
    organization_id: z.string(),
    user_id: z.string().nullable(),
    thread_id: z.string(),
    run_id: Id,
    skill: z.string(),
    model: z.string(),
    ...Tokens,
    duration_ms: z.number(),
    created_at: Time,
  })
  .meta({ id: 'Use' })

const Sum = z.object({ calls: z.int(), ...Tokens })
const groupedBy = (name: string) => z.array(Sum.extend({ [name]: z.string().nullable() }))

const Budgets = z.object({
  organization: z.int().nullable().describe('Tokens of an organization per calendar month (UTC).'),
  user: z.int().nullable().describe('Tokens of a user per calendar month (UTC).'),
  matter: z.int().nullable().describe('Tokens of a matter.'),
  used_this_month: z
    .int()
    .nullable()
    .describe(
      'Tokens that count for the budget of the organization. Null without X-Organization-Id.',
    ),
})

const Stats = z.object({
  total: Sum,
  by_organization: groupedBy('organization_id'),
  by_user: groupedBy('user_id'),
  by_skill: groupedBy('skill'),
  by_model: groupedBy('model'),
  by_day: groupedBy('day'),
  budgets: Budgets.describe('Limits by subject. Null: no limit.'),
})

const IdFilter = z.string().min(1).max(200).optional()
const Filter = z.object({
  from: Instant.optional(),
  to: Instant.optional(),
  organization_id: IdFilter,
  user_id: IdFilter,
  skill: IdFilter,
  model: IdFilter,
})

/** Model calls that were made; replayed calls are not counted. */
const modelCalls = (
  caller: Parameters<typeof visibleToService>[0],
  filter: z.output<typeof Filter>,
) => {
  const { from, to, organization_id, user_id, skill, model } = filter
  return fragment`ai_engine.calls where kind = 'model' and ${visibleToService(caller)}${join([
    ...(from === undefined ? [] : [fragment` and created_at >= ${timestamp(from)}`]),
    ...(to === undefined ? [] : [fragment` and created_at <= ${timestamp(to)}`]),
    ...(organization_id === undefined ? [] : [fragment` and organization_id = ${organization_id}`]),
    ...(user_id === undefined ? [] : [fragment` and user_id = ${user_id}`]),
    ...(skill === undefined ? [] : [fragment` and skill = ${skill}`]),
    ...(model === undefined ? [] : [fragment` and name = ${model}`]),
  ])}`
}

const sums = fragment`count(*) as calls, coalesce(sum(input_tokens), 0) as input_tokens,
  coalesce(sum(output_tokens), 0) as output_tokens, coalesce(sum(cached_tokens), 0) as cached_tokens`

export const usage = [
  get(
    '/api/v1/internal/ai/usage',
    {
      summary: 'List model calls, newest first',
      guard: service,
      query: PageQuery.extend(Filter.shape),
      responses: { 200: pageSchema(Use) },
    },
    async (c, { query }) => {
      const columns = fragment`*, name as model`
      const from = modelCalls(c.var.caller, query)
      const order = fragment`created_at desc, thread_id desc, step desc, hash desc, nth desc`
      return ok(c, await selectPage(c.env.sql, Use, query, { from, order, columns }))
    },
  ),

  get(
    '/api/v1/internal/ai/usage/stats',
    {
      summary: 'Get sums of model calls',
      guard: service,
      query: Filter,
      responses: { 200: Stats },
    },
    async (c, { query }) => {
      const { sql, budgetLimits } = c.env
      const { organizationId } = c.var.caller
      const from = modelCalls(c.var.caller, query)
      const by = (name: string, column: ReturnType<typeof fragment>) =>
        sql.rows(Sum.extend({ [name]: z.string().nullable() }))`
          select ${column}, ${sums} from ${from} group by 1 order by 1 nulls last`
      const [total, by_organization, by_user, by_skill, by_model, by_day] = await Promise.all([
        sql.row(Sum)`select ${sums} from ${from}`,
        by('organization_id', fragment`organization_id`),
        by('user_id', fragment`user_id`),
        by('skill', fragment`skill`),
        by('model', fragment`name as model`),
        by('day', fragment`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day`),
      ])
      const budgets = {
        organization: budgetLimits.organization ?? null,
        user: budgetLimits.user ?? null,
        matter: budgetLimits.matter ?? null,
        used_this_month: organizationId ? await loadTokensOfMonth(sql, organizationId) : null,
      }
      return ok(c, { total: total!, by_organization, by_user, by_skill, by_model, by_day, budgets })
    },
  ),
]
