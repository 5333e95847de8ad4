import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from '../_kit/context.ts'
import { Fault } from '../_kit/fault.ts'
import type { Deps } from './deps.ts'
import { Message, messageColumns } from './message.ts'
import { Card } from './turn/engine.ts'
import { followTurn } from './turn/follow-turn.ts'
import { encodeSse } from './turn/sse.ts'

type RequestContext = Context<Env<Deps>>

export const eventStream = {
  content: {
    'text/event-stream': {
      schema: {
        type: 'string',
        description:
          'Server-sent events. `id` is `<turn_id>:<n>` with n from 1 without gaps; `data` is one line of JSON. Events: delta {content}, card, progress, task_start, task_end, result, error {code, message}, end {output, message_id, matter_id, interrupted}. `end` is the last event. A comment line is sent after every 15 seconds of silence.',
      },
    },
  },
}

export const TurnResult = z.object({
  message: Message,
  output: z.string(),
  card: Card.nullable(),
  matter_id: z.string().nullable(),
})

/** Streams the events of a turn after `after`, to its end. A client that disconnects does not stop the turn. */
export const streamTurn = (c: RequestContext, turn_id: string, after = 0): Response =>
  c.body(encodeSse(turn_id, followTurn(c.env, turn_id, after)), 200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  })

const SessionMatter = z.object({ matter_id: z.string().nullable() })

/** Waits for the end of a turn. A suspended turn has no message yet: 503. */
export async function waitForTurn(
  c: RequestContext,
  turn_id: string,
): Promise<z.infer<typeof TurnResult>> {
  const events = followTurn(c.env, turn_id, 0)
  while (!(await events.next()).done);
  const { sql } = c.env
  const message = await sql.row(Message)`
    select ${messageColumns} from consultations.turns t
    join consultations.messages m on m.id = t.message_id where t.id = ${turn_id}`
  if (!message) {
    throw new Fault('UPSTREAM_UNAVAILABLE', 'ai-engine does not respond. Try again later.')
  }
  const session = await sql.row(SessionMatter)`
    select matter_id from consultations.sessions where id = ${message.session_id}`
  const card = Card.nullable().parse(message.card)
  return { message, output: message.content, card, matter_id: session!.matter_id }
}
