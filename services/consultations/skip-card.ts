import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import { post } from './deps.ts'
import { bodySchema } from './playbook.ts'
import { Identity, resolvePerson, userGuard, visibleToUser } from './scope.ts'
import { ById, loadActiveSession } from './session.ts'
import { resolveSpeaker, speakerHeaders } from './speaker.ts'
import { startTurn } from './start-turn.ts'
import { text } from './texts.ts'
import { loadPendingCard } from './turn/engine.ts'
import { noPendingCard } from './turn/run-turn.ts'

const Skip = z.object({
  card_id: z
    .string()
    .max(200)
    .optional()
    .describe('Card that is skipped. Default: the pending card.'),
})

export const skipCard = [
  post(
    '/api/v1/consultations/sessions/:id/pending_card/skip',
    {
      summary: 'Skip the pending card',
      description:
        'The run continues without answers, as a turn of its own; its events are at the stream of the session. 409 CARD_REQUIRED if the skill does not allow it, NO_PENDING_CARD without a pending card, CONFLICT if another card is pending.',
      guard: userGuard,
      params: ById,
      query: Identity,
      body: bodySchema(Skip.nullish()),
      example: {},
      responses: { 200: z.object({ skipped: z.literal(true) }) },
      faults: ['CONFLICT', 'UPSTREAM_UNAVAILABLE'],
    },
    async (c, { params, query, body }) => {
      const user = resolvePerson(c, query)
      const session = await loadActiveSession(c.env.sql, visibleToUser(user), params.id)
      const speaker = resolveSpeaker({ ...c.var.caller, ...user }, session, undefined)
      const { requestId, traceparent } = c.var
      const identity = { organizationId: session.organization_id, requestId, traceparent }
      const headers = speakerHeaders(speaker, identity)
      const { card } = await loadPendingCard(c.env.engine, session.thread_id, headers)
      if (!card) throw noPendingCard(session.language)
      if (body?.card_id !== undefined && body.card_id !== card.card_id) {
        throw new Fault('CONFLICT', text('otherCardPending', session.language))
      }
      const { card_id } = card
      const content = {
        request: { kind: 'skip' as const, card_id },
        content: text('cardSkipped', session.language),
        written: '',
        file_ids: [],
        metadata: { card_id, skipped: true },
      }
      const { done } = await startTurn(c, session, speaker, content, undefined)
      // On workerd nothing outlives a request: the relay of the run would wait for the next tick.
      if (c.env.kit.runtime === 'workerd') await done
      return ok(c, { skipped: true as const })
    },
  ),
]
