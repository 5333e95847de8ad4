import type { Context } from 'hono'
import * as z from 'zod'
import { type Env, ok } from '../_kit/endpoint.ts'
import { JsonObject } from '../_kit/fields.ts'
import { type Deps, get, manage } from './deps.ts'

const Skill = z.looseObject({ name: z.string(), description: z.string() }).meta({ id: 'Skill' })
const Skills = z.looseObject({ skills: z.array(Skill) })

/** `.` and `..` would address another path of the engine. */
const BySkill = z.object({
  skillName: z
    .string()
    .max(200)
    .regex(/^(?!\.{1,2}$)/),
})

const QueryText = z.string().max(200).optional()
const UsageQuery = z.object({
  from: QueryText,
  to: QueryText,
  organization_id: QueryText,
  user_id: QueryText,
  skill: QueryText,
  model: QueryText,
  page: QueryText,
  size: QueryText,
})

const enginePath = '/api/v1/internal/ai'

export const aiProxy = [
  get(
    '/api/v1/ai/skills',
    {
      summary: 'List the skills of the AI engine',
      responses: { 200: Skills },
      faults: ['UPSTREAM_UNAVAILABLE'],
    },
    async (c) => ok(c, await requestEngine(c, Skills, `${enginePath}/skills`)),
  ),

  get(
    '/api/v1/ai/skills/:skillName',
    {
      summary: 'Get a skill of the AI engine',
      params: BySkill,
      responses: { 200: Skill },
      faults: ['UPSTREAM_UNAVAILABLE'],
    },
    async (c, { params }) =>
      ok(
        c,
        await requestEngine(
          c,
          Skill,
          `${enginePath}/skills/${encodeURIComponent(params.skillName)}`,
        ),
      ),
  ),

  get(
    '/api/v1/ai/admin/usage',
    {
      summary: 'List the usage of the AI engine',
      guard: manage,
      query: UsageQuery,
      responses: { 200: JsonObject },
      faults: ['UPSTREAM_UNAVAILABLE'],
    },
    async (c, { query }) =>
      ok(c, await requestEngine(c, JsonObject, `${enginePath}/usage${queryString(query)}`)),
  ),

  get(
    '/api/v1/ai/admin/usage/stats',
    {
      summary: 'Get usage totals of the AI engine',
      guard: manage,
      query: UsageQuery,
      responses: { 200: JsonObject },
      faults: ['UPSTREAM_UNAVAILABLE'],
    },
    async (c, { query }) =>
      ok(c, await requestEngine(c, JsonObject, `${enginePath}/usage/stats${queryString(query)}`)),
  ),
]

const requestEngine = <T>(
  c: Context<Env<Deps>>,
  schema: z.ZodType<T>,
  path: string,
): Promise<T> => {
  const { requestId, traceparent } = c.var
  return c.env.engine.request(schema, path, {
    from: { headers: c.req.raw.headers, requestId, traceparent },
  })
}

function queryString(query: z.output<typeof UsageQuery>): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined)
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries as [string, string][])}`
}
