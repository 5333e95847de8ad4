import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { get } from './deps.ts'
import { Event, newest } from './events.ts'
import { ById, seen } from './matter.ts'
import { Phase, phasesOf } from './phases.ts'
import { member, seenBy } from './scope.ts'

export const timeline = [
  get(
    '/api/v1/matters/:id/timeline',
    {
      summary: 'The phases of a matter and the 200 newest events',
      guard: member,
      params: ById,
      responses: { 200: z.object({ phases: z.array(Phase), events: z.array(Event) }) },
    },
    async (c, { params }) => {
      const { sql } = c.env
      await seen(sql, seenBy(c.var.caller), params.id)
      const [phases, events] = await Promise.all([phasesOf(sql, params.id), newest(sql, params.id)])
      return ok(c, { phases, events })
    },
  ),
]
