import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { notFound } from '../_kit/fault.ts'
import { JsonObject } from '../_kit/fields.ts'
import { newId } from '../_kit/ids.ts'
import { Execute, execute } from './agent.ts'
import { get, post } from './deps.ts'
import { rejectPlaybook } from './playbook.ts'
import { awaitRun, RunAnswer } from './respond.ts'
import { service } from './scope.ts'
import type { Skill } from './skill.ts'

const SkillView = z
  .object({
    name: z.string(),
    description: z.string(),
    inputs: JsonObject.describe('JSON schema.'),
    outputs: JsonObject.describe('JSON schema.'),
  })
  .meta({ id: 'Skill' })

const SkillDetail = SkillView.extend({
  title: z.string(),
  when_to_use: z.string(),
  phase: z.string().nullable(),
  after: z.array(z.string()),
  tools: z.array(z.string()),
  api_call_only: z.boolean(),
})

const BySkill = z.object({ skill_name: z.string().max(60) })

export const skills = [
  get(
    '/api/v1/internal/ai/skills',
    {
      summary: 'List skills',
      guard: service,
      responses: { 200: z.object({ skills: z.array(SkillView) }) },
    },
    async (c) => {
      const all = await c.env.skills()
      const listed = all.filter(({ internal, api_call_only }) => !internal && !api_call_only)
      return ok(c, { skills: listed.map(toSkillView) })
    },
  ),

  get(
    '/api/v1/internal/ai/skills/:skill_name',
    { summary: 'Get a skill', guard: service, params: BySkill, responses: { 200: SkillDetail } },
    async (c, { params }) =>
      ok(c, toSkillDetail(findSkill(await c.env.skills(), params.skill_name))),
  ),

  post(
    '/api/v1/internal/ai/skills/:skill_name/execute',
    {
      summary: 'Execute one skill',
      description:
        '`result` is the output of the skill; null if the skill asks on a card or the run failed.',
      guard: service,
      params: BySkill,
      body: rejectPlaybook(Execute.omit({ skill: true, skill_only: true, mode: true })),
      example: { user_id: 1, organization_id: 'acme', message: '我借给张三10万元，他到期不还。' },
      responses: { 200: RunAnswer },
      faults: ['NOT_FOUND', 'CONFLICT', 'PLAYBOOK_CONFIG_REJECTED'],
    },
    async (c, { params, body }) => {
      const { name } = findSkill(await c.env.skills(), params.skill_name)
      const thread_id = body.thread_id ?? (body.session_id ? undefined : `skill:${newId()}`)
      const request = {
        ...body,
        thread_id,
        skill: name,
        skill_only: true,
        mode: 'workbench' as const,
      }
      const answer = await awaitRun(c, await execute(c, request))
      return ok(c, { ...answer, result: outputOf(answer.result, name) })
    },
  ),
]

const RoundResult = z.object({ outputs: z.record(z.string(), JsonObject) })

/** Output of a skill in the result of its round. */
const outputOf = (result: unknown, name: string) =>
  RoundResult.safeParse(result).data?.outputs[name] ?? null

function findSkill(skills: Skill[], name: string): Skill {
  const skill = skills.find((each) => each.name === name && !each.internal)
  if (!skill) throw notFound('such skill')
  return skill
}

const toSkillView = ({ name, description, code }: Skill) => ({
  name,
  description,
  inputs: z.toJSONSchema(code.inputs, { io: 'input', unrepresentable: 'any' }),
  outputs: z.toJSONSchema(code.outputs, { io: 'output', unrepresentable: 'any' }),
})

const toSkillDetail = (skill: Skill) => ({
  ...toSkillView(skill),
  title: skill.title,
  when_to_use: skill.when_to_use,
  phase: skill.phase ?? null,
  after: skill.after,
  tools: skill.tools,
  api_call_only: skill.api_call_only,
})
