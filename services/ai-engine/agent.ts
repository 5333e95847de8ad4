import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/context.ts'
import { ok } from '../_kit/endpoint.ts'
import { invalid } from '../_kit/fault.ts'
import { ExternalId, JsonObject } from '../_kit/fields.ts'
import { Answer } from './answers.ts'
import { Card } from './card.ts'
import { type Deps, get, post } from './deps.ts'
import { resumeInput } from './graph/resume-input.ts'
import { buildStartInput, initialState, routingTable } from './graph/state.ts'
import { rejectPlaybook } from './playbook.ts'
import { awaitRun, eventStream, RunAnswer, type StartedRun, streamRun } from './respond.ts'
import {
  knownType,
  resolveOrganization,
  resolveUserType,
  service,
  visibleToService,
} from './scope.ts'
import { startResume, startSkip } from './store/start-resume.ts'
import { startExecute } from './store/start-run.ts'

export const ThreadId = z
  .string()
  .regex(/^[!-~]{1,200}$/, 'at most 200 printable characters, no space')

const FileIds = z.array(z.string().min(1).max(200)).max(200).default([])

export const Execute = z.object({
  thread_id: ThreadId.optional().describe('Default: consultation:{session_id}.'),
  session_id: ExternalId.optional(),
  matter_id: ExternalId.optional(),
  user_id: ExternalId.optional(),
  organization_id: ExternalId.optional(),
  message: z.string().max(20_000).default(''),
  file_ids: FileIds,
  context: z
    .looseObject({
      matter_profile: JsonObject.nullish(),
      client_id: ExternalId.nullish().describe(
        'The client of the matter, whose memory is read. Default: user_id.',
      ),
      client_type: z
        .string()
        .max(60)
        .nullish()
        .describe('User type of client_id, who reads the reply. Default: client.'),
    })
    .nullish(),
  skill: z.string().min(1).max(60).nullish(),
  skill_only: z.boolean().default(false).describe('Run only this skill.'),
  mode: z.literal('workbench').default('workbench'),
})
export type Execute = z.output<typeof Execute>

const Resume = z.object({
  thread_id: ThreadId,
  user_id: ExternalId.optional(),
  organization_id: ExternalId.optional(),
  card_id: z.string().max(200).optional().describe('The answered card. Default: the pending card.'),
  user_response: z.object({ answers: z.array(Answer).max(100) }),
  file_ids: FileIds,
})

const Skip = z.object({
  thread_id: ThreadId,
  file_ids: FileIds,
  card_id: z.string().max(200).optional().describe('Default: the pending card.'),
  user_id: ExternalId.optional(),
})

const PendingCard = z.object({ has_pending_card: z.boolean(), card: Card.nullable() })
/** A card that cannot be read cannot be answered: the thread accepts the next message. */
const ReadableCard = z.object({ card: Card.nullable().catch(null) })

const executeSpec = {
  guard: service,
  body: rejectPlaybook(Execute),
  faults: ['NOT_FOUND', 'CONFLICT', 'PLAYBOOK_CONFIG_REJECTED'] as const,
  example: { session_id: 'a-session', user_id: 1, message: '我借给张三10万元，他到期不还。' },
}
const resumeSpec = {
  guard: service,
  body: rejectPlaybook(Resume),
  faults: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PLAYBOOK_CONFIG_REJECTED'] as const,
}

export const agent = [
  post(
    '/api/v1/internal/ai/agent/execute',
    {
      summary: 'Execute a turn and wait for its end',
      description:
        'Errors: 409 CARD_PENDING while a card is pending, 409 TURN_IN_PROGRESS while the thread runs. A client that disconnects does not stop the run.',
      ...executeSpec,
      responses: { 200: RunAnswer },
    },
    async (c, { body }) => ok(c, await awaitRun(c, await execute(c, body))),
  ),

  post(
    '/api/v1/internal/ai/agent/execute/stream',
    {
      summary: 'Execute a turn and stream its events',
      ...executeSpec,
      responses: { 200: eventStream },
    },
    async (c, { body }) => streamRun(c, await execute(c, body)),
  ),

  post(
    '/api/v1/internal/ai/agent/resume',
    {
      summary: 'Answer the pending card and wait for the end of the run',
      description:
        'Answers are validated before anything runs. The same answers again return the same run. Errors: 403 CARD_ASSIGNED if the card is assigned to another user who does not manage the matter; 409 NO_PENDING_CARD; 409 VERSION_UNSUPPORTED if the installed version cannot continue, the card stays pending.',
      ...resumeSpec,
      responses: { 200: RunAnswer },
    },
    async (c, { body }) => ok(c, await awaitRun(c, await resume(c, body))),
  ),

  post(
    '/api/v1/internal/ai/agent/resume/stream',
    {
      summary: 'Answer the pending card and stream the events of the run',
      ...resumeSpec,
      responses: { 200: eventStream },
    },
    async (c, { body }) => streamRun(c, await resume(c, body)),
  ),

  post(
    '/api/v1/internal/ai/agent/pending_card/skip',
    {
      summary: 'Skip the pending card and stream the run that continues without answers',
      description:
        'Errors: 404 for an unknown thread, 409 NO_PENDING_CARD, 409 CONFLICT if another card is pending, 409 CARD_REQUIRED if the skill of the card does not allow it.',
      guard: service,
      body: Skip,
      responses: { 200: eventStream },
      faults: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
    },
    async (c, { body }) => {
      const { organizationId, userId } = c.var.caller
      const user_id = body.user_id ?? userId ?? null
      const response = {
        thread_id: body.thread_id,
        user_id,
        user_type: resolveUserType(c.var.caller, user_id),
        card_id: body.card_id,
        origin: requestOrigin(c),
      }
      const buildInput = await resumeInput(c.env, body.thread_id, body.file_ids)
      const lease = await startSkip(c.env.sql, organizationId, response, buildInput)
      return streamRun(c, { lease, run_id: lease.run_id })
    },
  ),

  get(
    '/api/v1/internal/ai/agent/pending_card',
    {
      summary: 'Get the pending card of a thread',
      guard: service,
      query: z.object({ thread_id: z.string().min(1).max(200) }),
      responses: { 200: PendingCard },
    },
    async (c, { query }) => {
      const row = await c.env.sql.row(ReadableCard)`
        select card from ai_engine.cards
        where status = 'pending' and card_id = (
          select card_id from ai_engine.threads
          where thread_id = ${query.thread_id} and status = 'interrupted' and ${visibleToService(c.var.caller)})`
      const card = row?.card ?? null
      return ok(c, { has_pending_card: card !== null, card })
    },
  ),
]

export const requestOrigin = ({ var: { requestId, traceparent } }: Context<Env<Deps>>) => ({
  request_id: requestId,
  traceparent,
})

/** Starts a run. The request is committed before anything else happens. */
export async function execute(c: Context<Env<Deps>>, body: Execute): Promise<StartedRun> {
  const { sql } = c.env
  const { session_id = null, matter_id = null, message, skill = null, skill_only } = body
  const skills = await c.env.skills()
  const thread_id = body.thread_id ?? (session_id && `consultation:${session_id}`)
  if (!thread_id)
    throw invalid([{ path: 'thread_id', message: 'thread_id or session_id is required.' }])
  if (skill !== null && !skills.some(({ name, internal }) => name === skill && !internal))
    throw invalid([{ path: 'skill', message: 'Unknown skill.' }])
  if (skill === null && message.trim() === '')
    throw invalid([{ path: 'message', message: 'message or skill is required.' }])
  if (skill === null && skill_only)
    throw invalid([{ path: 'skill', message: 'skill is required with skill_only.' }])
  const user_id = body.user_id ?? c.var.caller.userId ?? null
  const client_id = body.context?.client_id ?? null
  const owner = {
    thread_id,
    organization_id: resolveOrganization(c.var.caller, body.organization_id),
    user_id,
    user_type: resolveUserType(c.var.caller, user_id),
    client_id,
    client_type: client_id === null ? null : knownType(body.context?.client_type ?? ''),
    session_id,
    matter_id,
  }
  const request = {
    message,
    file_ids: body.file_ids,
    skill,
    skill_only,
    matter_profile: body.context?.matter_profile ?? null,
  }
  const lease = await startExecute(sql, owner, initialState, {
    kind: 'execute',
    ...buildStartInput(request, routingTable(skills)),
    user_message: message,
    origin: requestOrigin(c),
  })
  return { lease, run_id: lease.run_id }
}

async function resume(c: Context<Env<Deps>>, body: z.output<typeof Resume>): Promise<StartedRun> {
  const organization = c.var.caller.organizationId ?? body.organization_id
  const user_id = body.user_id ?? c.var.caller.userId ?? null
  const started = await startResume(
    c.env.sql,
    organization,
    {
      thread_id: body.thread_id,
      user_id,
      user_type: resolveUserType(c.var.caller, user_id),
      card_id: body.card_id,
      answers: body.user_response.answers,
      origin: requestOrigin(c),
    },
    await resumeInput(c.env, body.thread_id, body.file_ids),
  )
  return 'lease' in started
    ? { lease: started.lease, run_id: started.lease.run_id }
    : { run_id: started.run_id }
}
