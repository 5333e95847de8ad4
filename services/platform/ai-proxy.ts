import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { JsonObject } from '../_kit/fields.ts'
import { organization } from '../_kit/identity.ts'
import { enginePath, postAs, queryString, requestEngine } from './ai-request.ts'
import { get, manage, post } from './deps.ts'

const Skill = z.looseObject({ name: z.string(), description: z.string() }).meta({ id: 'Skill' })
const Skills = z.looseObject({ skills: z.array(Skill) })

/** `.` and `..` would address another path of the engine. */
const BySkill = z.object({
  skillName: z
    .string()
    .max(200)
    .regex(/^(?!\.{1,2}$)/),
})

const ByCalculator = z.object({ id: z.string().regex(/^[a-z0-9_]{1,60}$/) })

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

  get(
    '/api/v1/ai/calculators',
    {
      summary: 'List calculators',
      responses: { 200: JsonObject },
      faults: ['UPSTREAM_UNAVAILABLE'],
    },
    async (c) => ok(c, await requestEngine(c, JsonObject, `${enginePath}/calculators`)),
  ),

  post(
    '/api/v1/ai/calculators/:id',
    {
      summary: 'Calculate',
      params: ByCalculator,
      body: JsonObject,
      responses: { 200: JsonObject },
      faults: ['RATE_TABLE_ENDS', 'UPSTREAM_UNAVAILABLE'],
    },
    async (c, { params, body }) => {
      const path = `${enginePath}/calculators/${encodeURIComponent(params.id)}`
      return ok(c, await postAs(c, c.env.engine, JsonObject, path, body))
    },
  ),

  post(
    '/api/v1/ai/citations/verify',
    {
      summary: 'Verify citations of statutes',
      guard: organization,
      body: JsonObject,
      example: { text: '依据《民法典》第六百七十五条，借款人应当返还借款。' },
      responses: { 200: JsonObject },
      faults: ['UPSTREAM_UNAVAILABLE'],
    },
    async (c, { body }) =>
      ok(
        c,
        await postAs(c, c.env.knowledge, JsonObject, '/api/v1/internal/citations/verify', body),
      ),
  ),
]
