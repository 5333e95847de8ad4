import * as z from 'zod'
import { notFound } from '../_kit/fault.ts'
import type { Guard } from '../_kit/identity.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import { get } from './deps.ts'
import { eventStream, streamTurn } from './respond.ts'
import { Identity, resolvePerson, userGuard, visibleToUser } from './scope.ts'
import { ById, loadSession } from './session.ts'
import { claimAndRelay } from './turn/run-turn.ts'

const eventId = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}):(\d{1,9})$/

const streamGuard: Guard = {
  ...userGuard,
  headers: [
    {
      name: 'Last-Event-ID',
      required: false,
      description: 'Id of the last received event. The stream continues after it.',
      schema: { type: 'string', examples: ['019a0000-0000-7000-8000-000000000000:12'] },
    },
  ],
}

export const stream = [
  get(
    '/api/v1/consultations/sessions/:id/stream',
    {
      summary: 'Resume the event stream of a turn',
      description:
        'With Last-Event-ID: the missed events of that turn and the rest of it; after its end, the next turn; 204 if nothing follows. Without it: the running turn from its first event, or 204.',
      guard: streamGuard,
      params: ById,
      query: Identity.extend({
        last_event_id: z
          .string()
          .max(100)
          .optional()
          .describe('Alternative to the header Last-Event-ID.'),
      }),
      responses: { 200: eventStream, 204: { content: {} } },
      faults: ['UPSTREAM_UNAVAILABLE'],
    },
    async (c, { params, query }) => {
      const { sql } = c.env
      const { id } = await loadSession(sql, visibleToUser(resolvePerson(c, query)), params.id)
      const last = c.req.header('last-event-id') || query.last_event_id
      const next = last ? await turnAfter(sql, id, last) : await runningTurn(sql, id)
      if (!next) return c.body(null, 204)
      if (next.status !== 'DONE') {
        await claimAndRelay(c.env, next.id).catch((thrown) => {
          // While the engine is unavailable, the client still gets what it missed.
          if (!next.missed) throw thrown
        })
      }
      return streamTurn(c, next.id, next.after)
    },
  ),
]

const StreamPosition = z.object({
  id: z.string(),
  status: z.string(),
  after: z.int(),
  /** Whether there are committed events after `after`. */
  missed: z.boolean(),
})
type StreamPosition = z.infer<typeof StreamPosition>

/** Position after an event: the rest of its turn, or the next turn. */
async function turnAfter(
  sql: Sql,
  session: string,
  last: string,
): Promise<StreamPosition | undefined> {
  const [, turn, n] = eventId.exec(last) ?? []
  if (turn === undefined)
    throw notFound('event with this id; Last-Event-ID must be the id of a received event')
  const seen = Number(n)
  const [exists] = await sql`
    select 1 from consultations.turns where id = ${turn} and session_id = ${session}`
  if (!exists) throw notFound(`event ${last} in this session`)
  return sql.row(StreamPosition)`
    select id, status, case when id = ${turn} then ${seen}::int else 0 end as after,
      last_event_no > case when id = ${turn} then ${seen}::int else 0 end as missed
    from consultations.turns
    where session_id = ${session} and id >= ${turn} and status <> 'REFUSED'
      and (id > ${turn} or last_event_no > ${seen} or status <> 'DONE')
    order by id limit 1`
}

const runningTurn = (sql: Sql, session: string) => sql.row(StreamPosition)`
  select t.id, t.status, 0 as after, t.last_event_no > 0 as missed from consultations.turns t
  join consultations.sessions s on s.turn_id = t.id where s.id = ${session}`
