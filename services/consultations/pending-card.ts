import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { get } from './deps.ts'
import { Identity, person, personOf, seenBy } from './scope.ts'
import { ById, sessionById } from './session.ts'
import { attend } from './turn/carry.ts'
import { PendingCard, pendingCard } from './turn/engine.ts'

const Standing = z.object({ turn_id: z.string().nullable() })

export const pendingCards = [
  get(
    '/api/v1/consultations/sessions/:id/pending_card',
    {
      summary: 'The card that waits for an answer, as it was shown',
      guard: person,
      params: ById,
      query: Identity,
      responses: { 200: PendingCard },
      faults: ['UPSTREAM_UNAVAILABLE'],
    },
    async (c, { params, query }) => {
      const { sql, engine } = c.env
      const session = await sessionById(sql, seenBy(personOf(c, query)), params.id)
      const pending = await pendingCard(engine, session.thread_id, {
        'x-organization-id': session.organization_id,
        'x-request-id': c.var.requestId,
        traceparent: c.var.traceparent,
      })
      const standing = await sql.row(Standing)`
        select turn_id from consultations.sessions where id = ${session.id}`
      if (standing?.turn_id) await attend(c.env, standing.turn_id).catch(() => {})
      return ok(c, pending)
    },
  ),
]
