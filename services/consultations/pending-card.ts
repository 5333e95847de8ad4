import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { get } from './deps.ts'
import { Identity, resolvePerson, userGuard, visibleToUser } from './scope.ts'
import { ById, loadSession } from './session.ts'
import { loadPendingCard, PendingCard } from './turn/engine.ts'
import { claimAndRelay } from './turn/run-turn.ts'

const CurrentTurn = z.object({ turn_id: z.string().nullable() })

export const pendingCards = [
  get(
    '/api/v1/consultations/sessions/:id/pending_card',
    {
      summary: 'Get the pending card',
      guard: userGuard,
      params: ById,
      query: Identity,
      responses: { 200: PendingCard },
      faults: ['UPSTREAM_UNAVAILABLE'],
    },
    async (c, { params, query }) => {
      const { sql, engine } = c.env
      const session = await loadSession(sql, visibleToUser(resolvePerson(c, query)), params.id)
      const pending = await loadPendingCard(engine, session.thread_id, {
        'x-organization-id': session.organization_id,
        'x-request-id': c.var.requestId,
        traceparent: c.var.traceparent,
      })
      const current = await sql.row(CurrentTurn)`
        select turn_id from consultations.sessions where id = ${session.id}`
      if (current?.turn_id) await claimAndRelay(c.env, current.turn_id).catch(() => {})
      return ok(c, pending)
    },
  ),
]
