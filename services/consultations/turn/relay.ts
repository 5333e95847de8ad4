import type { ServiceContext } from '../../_kit/context.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Deps } from '../deps.ts'
import { text } from '../texts.ts'
import { followRun, isFaultCode } from './engine.ts'
import { formatEvent, type Position, type RunEnd, type TurnEvent } from './event.ts'
import { finishTurn, suspendTurn } from './finish.ts'
import { openPublisher, type TurnPublisher } from './log/publisher.ts'
import { readLines } from './read-lines.ts'
import { makeTranslator } from './translate.ts'
import { LeaseLost, type RelayTurn } from './turn.ts'

/** A stream of the engine that is silent for longer is opened again. */
const idleTimeoutMs = 60_000

/**
 * Relays the events of a turn's run from the engine into the turn's log, independent of its subscribers. A broken
 * stream is resumed after the last event. An engine that stays unavailable suspends the turn. The lease is certainly
 * held until `leaseSafeUntil`.
 */
export async function relay(
  context: ServiceContext<Deps>,
  turn: RelayTurn,
  first: Response | undefined,
  leaseSafeUntil: number,
) {
  const { sql, kit } = context
  const publisher = openPublisher(context, turn, leaseSafeUntil)
  try {
    const { end, position, notable } = await consumeRun(context, turn, publisher, first)
    const uncommitted = await publisher.drain()
    publisher.finish(
      end
        ? await finishTurn(sql, turn, position, { uncommitted, notable }, end)
        : await suspendTurn(sql, turn, position, uncommitted),
    )
    kit.metrics.count('turns_total', { outcome: end?.status ?? 'broken' })
  } catch (thrown) {
    const cause = thrown instanceof LeaseLost ? {} : errorFields(thrown)
    kit.log.warn(
      { turn: turn.id, run: turn.run_id, ...cause },
      'relay stopped: lease lost or failed',
    )
  } finally {
    publisher.release()
  }
}

interface ConsumedRun {
  end?: RunEnd
  position: Position
  /** Cards and errors that this relay has published. */
  notable: readonly TurnEvent[]
}

/** Publishes the run's events until its end. Without `end` the engine was away for too long. */
async function consumeRun(
  context: ServiceContext<Deps>,
  turn: RelayTurn,
  publisher: TurnPublisher,
  first: Response | undefined,
): Promise<ConsumedRun> {
  const { last_event_no: eventNo, engine_seq: engineSeq, language } = turn
  const translator = makeTranslator({ eventNo, engineSeq }, language)
  const { notable } = translator
  let response = first
  let lastEventAt = performance.now()
  for (let failures = 0; ; failures++) {
    try {
      const after = translator.position.engineSeq
      response ??= await followRun(context.engine, turn, turn.run_id!, after)
      const openedAt = performance.now()
      for await (const lines of readLines(response.body!, idleTimeoutMs)) {
        const { events, end } = translator.translate(lines)
        const backpressure = publisher.publish(events, translator.position.engineSeq)
        if (backpressure) await backpressure
        if (end) return { end, position: translator.position, notable }
        lastEventAt = performance.now()
        failures = 0
      }
      if (performance.now() - openedAt >= idleTimeoutMs) lastEventAt = performance.now()
    } catch (thrown) {
      if (thrown instanceof LeaseLost) throw thrown
      if (isFaultCode(thrown, 'NOT_FOUND')) return failLostRun(turn, translator.position, publisher)
      context.kit.log.warn({ turn: turn.id, ...errorFields(thrown) }, 'engine stream broken')
    }
    response = undefined
    const { position } = translator
    if (performance.now() - lastEventAt > context.engineTimeoutMs) return { position, notable }
    const pause = Math.min(2 ** failures * 50, 1_000) * (0.5 + Math.random() / 2)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** Fails a turn whose run the engine does not know. */
async function failLostRun(
  { language }: RelayTurn,
  { eventNo, engineSeq }: Position,
  publisher: TurnPublisher,
): Promise<ConsumedRun> {
  const data = { code: 'RUN_LOST', message: text('runLost', language) }
  const number = eventNo + 1
  const event = { number, text: formatEvent('error', data) }
  await publisher.publish([event], engineSeq)
  const end: RunEnd = { output: '', status: 'failed' }
  return { end, position: { eventNo: number, engineSeq }, notable: [event] }
}
