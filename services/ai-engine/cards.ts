import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { ExternalId, Id, Time } from '../_kit/fields.ts'
import { Card } from './card.ts'
import { get, post } from './deps.ts'
import { service, visibleToService } from './scope.ts'
import { assignCard, withdrawCard } from './store/manage-card.ts'

const ById = z.object({ card_id: z.string().max(200) })
const base = '/api/v1/internal/ai/agent'

const OpenThreads = z.object({
  items: z.array(
    z.object({
      graph_version: z.string(),
      skill: z.string().nullable(),
      skill_version: z.string().nullable(),
      waiting_on: z.enum(['card', 'run']),
      count: z.int(),
      oldest_at: Time,
    }),
  ),
})

export const cards = [
  post(
    `${base}/cards/:card_id/assign`,
    {
      summary: 'Assign a pending card to a user',
      description: 'A card that is not pending: 409 NO_PENDING_CARD.',
      guard: service,
      params: ById,
      body: z.object({ user_id: ExternalId }),
      responses: { 200: Card },
      faults: ['NOT_FOUND', 'CONFLICT'],
    },
    async (c, { params, body }) => {
      const { organizationId } = c.var.caller
      return ok(c, await assignCard(c.env.sql, params.card_id, organizationId, body.user_id))
    },
  ),

  post(
    `${base}/cards/:card_id/withdraw`,
    {
      summary: 'Withdraw a pending card',
      description:
        'The thread accepts the next message. A card that is not pending: 409 NO_PENDING_CARD.',
      guard: service,
      params: ById,
      responses: {
        200: z.object({ thread_id: z.string(), card_id: Id, withdrawn: z.boolean() }),
      },
      faults: ['NOT_FOUND', 'CONFLICT'],
    },
    async (c, { params }) =>
      ok(c, await withdrawCard(c.env.sql, params.card_id, c.var.caller.organizationId)),
  ),

  get(
    `${base}/open-threads`,
    {
      summary: 'Count threads that wait on a card or a run, by version',
      description:
        'Of the organization in X-Organization-Id, else of all. An upgrade must support all versions listed here.',
      guard: service,
      responses: { 200: OpenThreads },
    },
    async (c) => {
      const items = await c.env.sql.rows(OpenThreads.shape.items.element)`
        with open as (
          select r.graph_version, c.skill, c.skill_version, 'card' as waiting_on, c.created_at as since
          from ai_engine.threads t
          join ai_engine.runs r on r.run_id = t.run_id
          join ai_engine.cards c on c.card_id = t.card_id
          where t.status = 'interrupted' and ${visibleToService(c.var.caller, 't')}
          union all
          select r.graph_version, null, null, 'run', r.started_at
          from ai_engine.threads t join ai_engine.runs r on r.run_id = t.run_id
          where t.status = 'running' and ${visibleToService(c.var.caller, 't')})
        select graph_version, skill, skill_version, waiting_on, count(*) as count,
          min(since) as oldest_at
        from open group by 1, 2, 3, 4 order by 1, 2, 3, 4`
      return ok(c, { items })
    },
  ),
]
