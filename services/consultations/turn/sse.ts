import { formatFrame, type TurnEvent } from './event.ts'

const encoder = new TextEncoder()
const heartbeat = ': still here\n\n'

/** Encodes events as server-sent events. The next events are read when the client has taken the last ones. */
export function encodeSse(
  turn_id: string,
  events: AsyncGenerator<TurnEvent[]>,
): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await events.next()
      if (done) return controller.close()
      const text = value.map((event) => formatFrame(turn_id, event)).join('')
      controller.enqueue(encoder.encode(text || heartbeat))
    },
    async cancel() {
      await events.return(undefined)
    },
  })
}
