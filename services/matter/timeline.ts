import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { get } from './deps.ts'
import { Event, loadNewestEvents } from './events.ts'
import { ById, requireVisible } from './matter.ts'
import { loadPhases, Phase } from './phases.ts'
import { userGuard, visibleToUser } from './scope.ts'

export const timeline = [
  get(
    '/api/v1/matters/:id/timeline',
    {
      summary: 'Get the phases and the 200 newest events of a matter',
      guard: userGuard,
      params: ById,
      responses: { 200: z.object({ phases: z.array(Phase), events: z.array(Event) }) },
    },
    async (c, { params }) => {
      const { sql } = c.env
      await requireVisible(sql, visibleToUser(c.var.caller), params.id)
      const [phases, events] = await Promise.all([
        loadPhases(sql, params.id),
        loadNewestEvents(sql, params.id),
      ])
      return ok(c, { phases, events })
    },
  ),
]
