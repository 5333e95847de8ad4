import { errorFields } from '../../_kit/log.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import type { Deps } from '../deps.ts'
import type { TurnPublisher } from './batch-writer.ts'
import { followRun, isFaultCode } from './engine.ts'
import type { TurnFeed } from './feeds.ts'
import { finishTurn, suspendTurn } from './finish.ts'
import { readLines } from './read-lines.ts'
import { makeTranslator, type RunEnd, type TurnEvent } from './translate.ts'
import { LeaseLost, type RelayTurn } from './turn.ts'

/** So long a stream may say nothing before it is opened anew. */
const idleTimeoutMs = 60_000

/**
 * Takes the events of a turn's run from the engine until its end, and tells them, whoever listens. A stream
 * that breaks off is taken up where it was; an engine that stays away ends the stream, not the turn. The turn
 * is surely ours until `certainUntil`.
 */
export async function relay(
  context: ServiceContext<Deps>,
  turn: RelayTurn,
  first: Response | undefined,
  certainUntil: number,
) {
  const { sql, feeds, writer, kit } = context
  const feed = feeds.openLocal(turn.id, turn.n)
  const publisher = writer.open(sql, turn, feed, certainUntil)
  try {
    const { end, at } = await consumeRun(context, turn, publisher, first)
    const rest = await publisher.drain()
    const lines = end
      ? await finishTurn(sql, turn, at, rest, end)
      : await suspendTurn(sql, turn, at, rest)
    feed.push(lines)
    feed.closed = true
    kit.metrics.count('turns_total', { outcome: end?.status ?? 'broken' })
  } catch (thrown) {
    publisher.discard()
    const left = thrown instanceof LeaseLost ? {} : errorFields(thrown)
    kit.log.warn({ turn: turn.id, run: turn.run_id, ...left }, 'turn left to another')
  } finally {
    release(feed)
  }
}

/** From here on readers look into the database. */
function release(feed: TurnFeed) {
  feed.isLocal = false
  feed.wake()
  feed.leave()
}

/** Until the run's end, or until the engine has been away for too long. */
async function consumeRun(
  context: ServiceContext<Deps>,
  turn: RelayTurn,
  publisher: TurnPublisher,
  first: Response | undefined,
): Promise<{ end?: RunEnd; at: { n: number; engine_seq: number } }> {
  const translator = makeTranslator(turn)
  let response = first
  let lastEventAt = performance.now()
  for (let failures = 0; ; failures++) {
    try {
      const { engine_seq } = translator.position
      response ??= await followRun(context.engine, turn, turn.run_id!, engine_seq)
      const opened = performance.now()
      for await (const texts of readLines(response.body!, idleTimeoutMs)) {
        const { lines, end } = translator.translate(texts)
        const wait = publisher.publish(lines, translator.position.engine_seq)
        if (wait) await wait
        if (end) return { end, at: translator.position }
        lastEventAt = performance.now()
        failures = 0
      }
      if (performance.now() - opened >= idleTimeoutMs) lastEventAt = performance.now()
    } catch (thrown) {
      if (thrown instanceof LeaseLost) throw thrown
      if (isFaultCode(thrown, 'NOT_FOUND')) return failLostRun(translator.position, publisher)
      context.kit.log.warn(
        { turn: turn.id, ...errorFields(thrown) },
        'the engine’s stream broke off',
      )
    }
    response = undefined
    if (performance.now() - lastEventAt > context.engineTimeoutMs)
      return { at: translator.position }
    const pause = Math.min(2 ** failures * 50, 1_000) * (0.5 + Math.random() / 2)
    await new Promise((go) => setTimeout(go, pause))
  }
}

/** The engine knows no such run any more: there is nothing to wait for. */
async function failLostRun(
  { n, engine_seq }: { n: number; engine_seq: number },
  publisher: TurnPublisher,
) {
  const data = { code: 'RUN_LOST', message: 'The engine has lost this turn; say it again.' }
  const line: TurnEvent = { n: n + 1, line: `event: error\ndata: ${JSON.stringify(data)}` }
  await publisher.publish([line], engine_seq)
  const end: RunEnd = { output: '', status: 'failed' }
  return { end, at: { n: n + 1, engine_seq } }
}
