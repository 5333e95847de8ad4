import * as z from 'zod'
import type { ServiceContext } from '../../_kit/service.ts'
import type { Deps } from '../deps.ts'
import { eventsAfter } from './event-log.ts'
import { claimAndRelay } from './run-turn.ts'
import { formatFrame, type TurnEvent } from './translate.ts'

const State = z.object({ over: z.boolean() })

/**
 * What a turn tells after one of its events, each once and in order, to its end: what was written before,
 * then what is told now, here or by another process. An empty list stands for a long silence.
 */
export async function* follow(
  context: ServiceContext<Deps>,
  turn_id: string,
  after: number,
): AsyncGenerator<TurnEvent[]> {
  const { sql, heartbeatMs } = context
  const feed = context.feeds.join(turn_id)
  let last = after
  try {
    for (;;) {
      let lines = feed.after(last)
      let over = feed.closed
      if (!lines) {
        // Asked before the lines: what is over then has told everything.
        const state = await sql.row(State)`
          select status <> 'RUNNING' as over from consultations.turns where id = ${turn_id}`
        const page = await eventsAfter(sql, turn_id, last)
        lines = page.lines
        over = (state?.over ?? true) && page.all
        if (page.all) feed.highWaterMark ??= lines.at(-1)?.n ?? last
      }
      if (lines.length > 0) {
        last = lines.at(-1)!.n
        yield lines
      }
      if (over && !feed.isLocal) return
      if (lines.length > 0 || (await feed.waitForEvents(sql, heartbeatMs))) continue
      yield []
      // Silence may mean that nobody is at it any more.
      if (!feed.isLocal) await claimAndRelay(context, turn_id).catch(() => {})
    }
  } finally {
    feed.leave()
  }
}

const encoder = new TextEncoder()

/** The same as server-sent events. A reader that is slow is not waited for, and takes no memory. */
export function encodeSse(
  turn_id: string,
  lines: AsyncGenerator<TurnEvent[]>,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await lines.next()
      if (done) return controller.close()
      const text = value.map((line) => formatFrame(turn_id, line)).join('')
      controller.enqueue(encoder.encode(text || ': still here\n\n'))
    },
    async cancel() {
      await lines.return(undefined)
    },
  })
}
