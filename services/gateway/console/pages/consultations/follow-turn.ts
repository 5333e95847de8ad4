import { readEvents } from './event-stream.ts'
import { isTransient, type Retries } from './retries.ts'
import { applyEvent, lastEventIdOf, newTurn, type Turn } from './turn.ts'

/** Opens a stream; after a lost connection it continues after `lastEventId`. */
export type OpenStream = (lastEventId: string | undefined) => Promise<Response>

interface FollowOptions {
  open: OpenStream
  retries: Retries
  signal: AbortSignal
  onEvent: (turn: Turn) => void
  /** The service has accepted what started the turn. */
  onFirstEvent: () => void
  onConnect: (turn: Turn) => void
  onLoss: (turn: Turn) => void
}

/** Follows a turn to its end. Every lost connection is opened again after the last event. */
export async function followTurn(options: FollowOptions): Promise<Turn> {
  const { open, retries, signal, onEvent, onFirstEvent, onConnect, onLoss } = options
  let turn = newTurn()
  for (let attempt = 0; !turn.isEnded; attempt++) {
    if (attempt > 0) await retries.pause(attempt)
    try {
      const response = await open(lastEventIdOf(turn))
      if (response.status === 204) return turn
      onConnect(turn)
      for await (const event of readEvents(response.body!)) {
        const isFirst = turn.id === null
        turn = applyEvent(turn, event)
        attempt = 0
        onEvent(turn)
        if (isFirst) onFirstEvent()
      }
      if (!turn.isEnded) onLoss(turn)
    } catch (thrown) {
      signal.throwIfAborted()
      if (!isTransient(thrown)) throw thrown
      onLoss(turn)
    }
  }
  return turn
}
