import { Fault, toFault } from '../../_kit/fault.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import { fragment } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { begin } from './begin.ts'
import { followRun, isCode } from './engine.ts'
import { leaveBroken } from './finish.ts'
import { type Asked, claim, noteRun, openTurn, refuse } from './open.ts'
import { relay } from './relay.ts'
import { leaseMs, marginMs, relayed, type Turn } from './turn.ts'

/** Resolves when a turn is no longer relayed here. */
export interface Carried {
  done: Promise<void>
}

/** Sees to it that a turn which is ours is relayed; a throw means that it could not begin. */
export async function carry(given: ServiceContext<Deps>, turn: Turn): Promise<Carried> {
  if (turn.run_id !== null) {
    const response = await reopened(given, turn)
    return { done: relay(given, relayed(turn), response, Number.NEGATIVE_INFINITY) }
  }
  try {
    const begun = await begin(given, turn)
    const since = performance.now()
    await noteRun(given.sql, begun.turn)
    return { done: relay(given, relayed(begun.turn), begun.response, since + leaseMs - marginMs) }
  } catch (thrown) {
    const fault = refusal(toFault(thrown))
    await refuse(given.sql, turn, fault)
    throw fault
  }
}

/** A failure of another service is not one of ours: it cannot be had now, and may be later. */
const refusal = (fault: Fault) =>
  fault.status < 500
    ? fault
    : new Fault(
        'UPSTREAM_UNAVAILABLE',
        'The turn could not begin; send it again with the same client_message_id.',
        { cause: fault.cause ?? fault },
      )

/** A turn that had ended for its readers does not start again before the engine is there. */
async function reopened(given: ServiceContext<Deps>, turn: Turn): Promise<Response | undefined> {
  try {
    return await followRun(given.engine, turn, turn.run_id!, turn.engine_seq)
  } catch (thrown) {
    if (turn.before !== 'BROKEN' || isCode(thrown, 'NOT_FOUND')) return undefined
    await leaveBroken(given.sql, turn)
    throw thrown
  }
}

/** Picks up a turn that nobody relays; undefined where somebody does, or it is over. */
export async function attend(
  given: ServiceContext<Deps>,
  turn_id: string,
): Promise<Carried | undefined> {
  const [turn] = await claim(given.sql, fragment`t.id = ${turn_id}`)
  return turn && carry(given, turn)
}

/** Takes over turns whose relay has gone silent, and tries those again whose engine had gone. */
export async function resumeLost(given: ServiceContext<Deps>): Promise<number> {
  const turns = await claim(given.sql, fragment`lease_until < now()`, 16)
  const carried = await Promise.allSettled(turns.map((turn) => carry(given, turn)))
  for (const { id: turn, run_id: run } of turns)
    given.kit.log.info({ turn, run }, 'turn taken over')
  const begun = carried.filter((each) => each.status === 'fulfilled')
  if (given.kit.runtime === 'workerd') await Promise.all(begun.map(({ value }) => value.done))
  return begun.length
}

/** A moment for a turn that was picked up to come to its end, before another is refused. */
const settleMs = 3_000

/** Begins a turn or joins the one that the same request began; says which. */
export async function takeTurn(
  given: ServiceContext<Deps>,
  session: string,
  asked: Asked,
): Promise<{ turn_id: string } & Partial<Carried>> {
  for (let attempt = 1; ; attempt++) {
    const opened = await openTurn(given.sql, session, asked)
    if ('joined' in opened) {
      return { turn_id: opened.joined, ...(await attend(given, opened.joined)) }
    }
    if ('turn' in opened) {
      return { turn_id: opened.turn.id, ...(await carry(given, opened.turn)) }
    }
    const unattended = attempt === 1 && (await attend(given, opened.busy))
    if (!unattended) throw turnInProgress()
    await Promise.race([unattended.done, new Promise((go) => setTimeout(go, settleMs))])
  }
}

export const turnInProgress = () =>
  new Fault('CONFLICT', 'The session is at work on another turn; wait for it to end.', {
    code: 'TURN_IN_PROGRESS',
  })
