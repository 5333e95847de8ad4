import type { Context } from 'hono'
import * as z from 'zod'
import { type Env, ok } from '../_kit/endpoint.ts'
import { invalid } from '../_kit/fault.ts'
import { type Deps, post } from './deps.ts'
import { bodySchema } from './playbook.ts'
import { eventStream, streamTurn, TurnResult, waitForTurn } from './respond.ts'
import {
  Identity,
  personOf,
  type Scope,
  serviceGuard,
  userGuard,
  visibleToService,
  visibleToUser,
} from './scope.ts'
import { ById, BySessionId, loadSession, type Session, sessionArchived } from './session.ts'
import type { TurnRequest } from './turn/open-turn.ts'
import { startOrJoinTurn } from './turn/run-turn.ts'

export type RequestContext = Context<Env<Deps>>

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

type TurnContent = Pick<TurnRequest, 'request' | 'content' | 'file_ids' | 'metadata'>

interface TurnEndpoints<Body extends CommonBody> {
  stream: { path: string; summary: string }
  wait: { path: string; summary: string }
  description: string
  body: z.ZodType<Body>
  example: object
  buildContent(c: RequestContext, session: Session, body: Body): Promise<TurnContent>
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

  async function start(c: RequestContext, scope: Scope, id: string, body: Body) {
    const session = await loadSession(c.env.sql, scope, id)
    if (session.status === 'ARCHIVED') throw sessionArchived()
    const { turn_id } = await startOrJoinTurn(c.env, session.id, {
      ...(await buildContent(c, session, body)),
      client_message_id: body.client_message_id,
      request_id: c.var.requestId,
      traceparent: c.var.traceparent,
    })
    return turn_id
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
        const user = personOf(c, query, body.user_id)
        if (body.user_id !== undefined && body.user_id !== user.userId) {
          throw invalid([{ path: 'user_id', message: 'Differs from the header X-User-Id.' }])
        }
        return streamTurn(c, await start(c, visibleToUser(user), params.id, body))
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
        const scope = visibleToService(c.var.caller)
        return ok(c, await waitForTurn(c, await start(c, scope, params.sessionId, body)))
      },
    ),
  ]
}
