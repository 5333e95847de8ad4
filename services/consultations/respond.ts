import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/endpoint.ts'
import { Fault } from '../_kit/fault.ts'
import type { Deps } from './deps.ts'
import { Message, messageColumns } from './message.ts'
import { Card } from './turn/engine.ts'
import { encodeSse, follow } from './turn/follow.ts'

type RequestContext = Context<Env<Deps>>

/** A stream of server-sent events. */
export const eventStream = {
  content: {
    'text/event-stream': {
      schema: {
        type: 'string',
        description:
          'Events with `id: <turn_id>:<n>`, n from 1 without gap, and JSON on one line of data: delta {content}, card, progress, task_start, task_end, result, error {code, message}, end {output, message_id, matter_id, interrupted}. `end` is the last. In silence a comment line comes every 15 seconds.',
      },
    },
  },
}

/** The whole of a turn, once it is over. */
export const TurnResult = z.object({
  message: Message,
  output: z.string(),
  card: Card.nullable(),
  matter_id: z.string().nullable(),
})

/** What a turn tells after an event of it, to the end. A reader that goes away does not stop the turn. */
export const streamTurn = (c: RequestContext, turn_id: string, after = 0): Response =>
  c.body(encodeSse(turn_id, follow(c.env, turn_id, after)), 200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  })

const SessionMatter = z.object({ matter_id: z.string().nullable() })

/** Waits for a turn to end. One whose engine has gone has no answer yet. */
export async function waitForTurn(
  c: RequestContext,
  turn_id: string,
): Promise<z.infer<typeof TurnResult>> {
  const events = follow(c.env, turn_id, 0)
  while (!(await events.next()).done);
  const { sql } = c.env
  const message = await sql.row(Message)`
    select ${messageColumns} from consultations.turns t
    join consultations.messages m on m.id = t.message_id where t.id = ${turn_id}`
  if (!message) {
    throw new Fault('UPSTREAM_UNAVAILABLE', 'The engine does not answer; ask again later.')
  }
  const session = await sql.row(SessionMatter)`
    select matter_id from consultations.sessions where id = ${message.session_id}`
  const card = Card.nullable().parse(message.card)
  return { message, output: message.content, card, matter_id: session!.matter_id }
}
