import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import { post } from './deps.ts'
import { Identity, resolvePerson, userGuard, visibleToUser } from './scope.ts'
import { ById, loadTurnSession } from './session.ts'
import { resolveSpeaker, speakerHeaders } from './speaker.ts'
import { cancelRun } from './turn/engine.ts'
import { claimAndRelay } from './turn/run-turn.ts'

export const stop = [
  post(
    '/api/v1/consultations/sessions/:id/stop',
    {
      summary: 'Stop the running turn',
      description:
        'The stream gets `error` with code STOPPED and `end`; the text so far is stored as the message. `stopped` is false when nothing runs.',
      guard: userGuard,
      params: ById,
      query: Identity,
      responses: { 200: z.object({ stopped: z.boolean() }) },
      faults: ['UPSTREAM_UNAVAILABLE'],
    },
    async (c, { params, query }) => {
      const { sql, engine } = c.env
      const user = resolvePerson(c, query)
      const session = await loadTurnSession(sql, visibleToUser(user), params.id)
      const turn = await requestStop(sql, session.id)
      if (!turn) return ok(c, { stopped: false })
      // The request that starts the run cancels it as soon as the run is known.
      if (turn.run_id === null) return ok(c, { stopped: true })
      const { requestId, traceparent } = c.var
      const identity = { organizationId: session.organization_id, requestId, traceparent }
      const speaker = resolveSpeaker({ ...c.var.caller, ...user }, session, undefined)
      const run = { thread_id: session.thread_id, run_id: turn.run_id }
      const stopped = await cancelRun(engine, run, speakerHeaders(speaker, identity))
      // A turn without a relay, suspended or orphaned, is relayed to its end.
      await claimAndRelay(c.env, turn.id).catch(() => {})
      return ok(c, { stopped })
    },
  ),
]

const StoppedTurn = z.object({ id: z.string(), run_id: z.string().nullable() })

/** Marks the current turn of a session as stopped; undefined when there is none. */
const requestStop = (sql: Sql, session: string) => sql.row(StoppedTurn)`
  update consultations.turns t set stop_requested = true
  from consultations.sessions s
  where s.id = ${session} and t.id = s.turn_id and t.status in ('RUNNING', 'BROKEN')
  returning t.id, t.run_id`
