import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { invalid } from '../_kit/fault.ts'
import { post } from './deps.ts'
import { bodySchema } from './playbook.ts'
import { eventStream, streamTurn, TurnResult, waitForTurn } from './respond.ts'
import {
  Identity,
  resolvePerson,
  serviceGuard,
  userGuard,
  visibleToService,
  visibleToUser,
} from './scope.ts'
import { ById, BySessionId, loadActiveSession, type TurnSession } from './session.ts'
import { resolveSpeaker, type Speaker } from './speaker.ts'
import { type RequestContext, startTurn, type TurnContent } from './start-turn.ts'

export const ClientMessageId = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe(
    'Repeating an id joins or repeats the turn that it started. A second turn never starts.',
  )

interface CommonBody {
  user_id?: string | undefined
  client_message_id?: string | undefined
}

interface TurnEndpoints<Body extends CommonBody> {
  stream: { path: string; summary: string }
  wait: { path: string; summary: string }
  description: string
  body: z.ZodType<Body>
  example: object
  buildContent(
    c: RequestContext,
    session: TurnSession,
    body: Body,
    speaker: Speaker,
  ): Promise<TurnContent>
}

/** Defines two endpoints that start a turn: one streams it to a person, one waits for its result for a service. */
export function turnEndpoints<Body extends CommonBody>({
  stream,
  wait,
  buildContent,
  ...options
}: TurnEndpoints<Body>) {
  const spec = {
    description: options.description,
    body: bodySchema(options.body),
    example: options.example,
    faults: ['CONFLICT', 'UPSTREAM_UNAVAILABLE'] as const,
  }

  async function start(
    c: RequestContext,
    session: TurnSession,
    speaker: Speaker,
    body: Body,
  ): Promise<string> {
    const content = await buildContent(c, session, body, speaker)
    const turn = await startTurn(c, session, speaker, content, body.client_message_id)
    return turn.turn_id
  }

  return [
    post(
      stream.path,
      {
        summary: stream.summary,
        guard: userGuard,
        params: ById,
        query: Identity,
        ...spec,
        responses: { 200: eventStream },
      },
      async (c, { params, query, body }) => {
        const user = resolvePerson(c, query, body.user_id)
        if (body.user_id !== undefined && body.user_id !== user.userId) {
          throw invalid([{ path: 'user_id', message: 'Differs from the header X-User-Id.' }])
        }
        const session = await loadActiveSession(c.env.sql, visibleToUser(user), params.id)
        const speaker = resolveSpeaker({ ...c.var.caller, ...user }, session, undefined)
        return streamTurn(c, await start(c, session, speaker, body))
      },
    ),

    post(
      wait.path,
      {
        summary: wait.summary,
        guard: serviceGuard,
        params: BySessionId,
        ...spec,
        responses: { 200: TurnResult },
      },
      async (c, { params, body }) => {
        const { caller } = c.var
        const session = await loadActiveSession(
          c.env.sql,
          visibleToService(caller),
          params.sessionId,
        )
        const speaker = resolveSpeaker(caller, session, body.user_id)
        return ok(c, await waitForTurn(c, await start(c, session, speaker, body)))
      },
    ),
  ]
}
