import { errorFields } from '../../_kit/log.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import type { Deps } from '../deps.ts'
import { followRun, isCode } from './engine.ts'
import type { Feed } from './feeds.ts'
import { breakOff, finish } from './finish.ts'
import { linesOf } from './lines.ts'
import { type End, type Line, makeTranslator } from './translate.ts'
import { LeaseLost, type Relayed } from './turn.ts'
import type { Telling } from './writer.ts'

/** So long a stream may say nothing before it is opened anew. */
const silenceMs = 60_000

/**
 * Takes the events of a turn's run from the engine until its end, and tells them, whoever listens. A stream
 * that breaks off is taken up where it was; an engine that stays away ends the stream, not the turn. The turn
 * is surely ours until `certainUntil`.
 */
export async function relay(
  given: ServiceContext<Deps>,
  turn: Relayed,
  first: Response | undefined,
  certainUntil: number,
) {
  const { sql, feeds, writer, kit } = given
  const feed = feeds.lead(turn.id, turn.n)
  const telling = writer.open(sql, turn, feed, certainUntil)
  try {
    const { end, at } = await takeAll(given, turn, telling, first)
    const rest = await telling.rest()
    const lines = end ? await finish(sql, turn, at, rest, end) : await breakOff(sql, turn, at, rest)
    feed.push(lines)
    feed.closed = true
    kit.metrics.count('turns_total', { outcome: end?.status ?? 'broken' })
  } catch (thrown) {
    telling.abandon()
    const left = thrown instanceof LeaseLost ? {} : errorFields(thrown)
    kit.log.warn({ turn: turn.id, run: turn.run_id, ...left }, 'turn left to another')
  } finally {
    release(feed)
  }
}

/** From here on readers look into the database. */
function release(feed: Feed) {
  feed.led = false
  feed.wake()
  feed.leave()
}

/** Until the run's end, or until the engine has been away for too long. */
async function takeAll(
  given: ServiceContext<Deps>,
  turn: Relayed,
  telling: Telling,
  first: Response | undefined,
): Promise<{ end?: End; at: { n: number; engine_seq: number } }> {
  const translator = makeTranslator(turn)
  let response = first
  let alive = performance.now()
  for (let failures = 0; ; failures++) {
    try {
      const { engine_seq } = translator.at
      response ??= await followRun(given.engine, turn, turn.run_id!, engine_seq)
      const opened = performance.now()
      for await (const texts of linesOf(response.body!, silenceMs)) {
        const { lines, end } = translator.take(texts)
        const wait = telling.tell(lines, translator.at.engine_seq)
        if (wait) await wait
        if (end) return { end, at: translator.at }
        alive = performance.now()
        failures = 0
      }
      if (performance.now() - opened >= silenceMs) alive = performance.now()
    } catch (thrown) {
      if (thrown instanceof LeaseLost) throw thrown
      if (isCode(thrown, 'NOT_FOUND')) return gone(translator.at, telling)
      given.kit.log.warn({ turn: turn.id, ...errorFields(thrown) }, 'the engine’s stream broke off')
    }
    response = undefined
    if (performance.now() - alive > given.patienceMs) return { at: translator.at }
    const pause = Math.min(2 ** failures * 50, 1_000) * (0.5 + Math.random() / 2)
    await new Promise((go) => setTimeout(go, pause))
  }
}

/** The engine knows no such run any more: there is nothing to wait for. */
async function gone({ n, engine_seq }: { n: number; engine_seq: number }, telling: Telling) {
  const data = { code: 'RUN_LOST', message: 'The engine has lost this turn; say it again.' }
  const line: Line = { n: n + 1, line: `event: error\ndata: ${JSON.stringify(data)}` }
  await telling.tell([line], engine_seq)
  const end: End = { output: '', status: 'failed' }
  return { end, at: { n: n + 1, engine_seq } }
}
