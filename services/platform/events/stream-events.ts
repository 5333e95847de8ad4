import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { SuiteEvent } from '../../_kit/event-outbox.ts'
import { Fault } from '../../_kit/fault.ts'
import { user } from '../../_kit/identity.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import { get, post } from '../deps.ts'
import { loadHead } from './feed.ts'
import { storeEvents } from './store-events.ts'
import { publicEvent, type StoredEvent } from './stored-event.ts'

const encoder = new TextEncoder()
const heartbeat = ': still here\n\n'

export const events = [
  post(
    '/api/v1/internal/platform/events',
    {
      summary: 'Publish events',
      description: 'An event with a known id changes nothing.',
      body: z.object({ events: z.array(SuiteEvent).min(1).max(500) }),
      responses: { 200: z.object({ stored: z.int() }) },
    },
    async (c, { body }) => {
      const stored = await c.env.sql.transaction((tx) => storeEvents(tx, body.events))
      return ok(c, { stored })
    },
  ),

  get(
    '/api/v1/events',
    {
      summary: 'Stream events',
      description:
        'Events that the person may see, from now on or after `Last-Event-ID`, for 24 hours. Clients of the firm see their own matters.',
      guard: user,
      responses: {
        200: {
          content: {
            'text/event-stream': {
              schema: {
                type: 'string',
                description:
                  'Server-sent events. `event` is the type, `data` one line of JSON: {id, type, organization_id, matter_id, at, …}. A comment line is sent after every 15 seconds of silence.',
              },
            },
          },
        },
      },
      faults: ['UNAUTHENTICATED'],
    },
    async (c) => {
      const { caller } = c.var
      if (caller.organizationId === undefined) {
        throw new Fault('UNAUTHENTICATED', 'Header X-Organization-Id is required.')
      }
      const { sql, feed } = c.env
      const last = c.req.header('last-event-id')
      const after = last === undefined ? await loadHead(sql) : await findPosition(sql, last)
      const stop = new AbortController()
      const following = feed.follow(sql, caller, after, stop.signal)
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(encoder.encode(': connected\n\n'))
        },
        async pull(controller) {
          const { done, value } = await following.next()
          if (done) return controller.close()
          controller.enqueue(encoder.encode(value.map(formatEvent).join('') || heartbeat))
        },
        async cancel() {
          stop.abort()
          await following.return()
        },
      })
      return c.body(body, 200, {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      })
    },
  ),
]

const Position = z.object({ seq: z.int() })

/** Position of an event. An unknown id is older than 24 hours: everything that is left follows. */
async function findPosition(sql: Sql, eventId: string): Promise<number> {
  if (!z.uuid().safeParse(eventId).success) return 0
  const row = await sql.row(Position)`select seq from platform.events where id = ${eventId}`
  return row?.seq ?? 0
}

const formatEvent = (event: StoredEvent) =>
  `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(publicEvent(event))}\n\n`
