import type { ServiceContext } from '../../_kit/context.ts'
import { Fault, toFault } from '../../_kit/fault.ts'
import { errorFields } from '../../_kit/log.ts'
import { fragment } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { type Language, type TextKey, text } from '../texts.ts'
import { cancelRun, followRun, isFaultCode } from './engine.ts'
import { restoreBroken } from './finish.ts'
import { claim, openTurn, recordRun, rejectTurn, type TurnRequest } from './open-turn.ts'
import { relay } from './relay.ts'
import { startRun } from './start-run.ts'
import { clockSkewMs, leaseMs, peerHeaders, type Turn, toRelayTurn } from './turn.ts'

export interface RelayHandle {
  /** Resolves when this process no longer relays the turn. */
  done: Promise<void>
}

/** A turn that was started or joined; with a handle if this process relays it. */
export type RelayedTurn = { turn_id: string } & Partial<RelayHandle>

/** Starts the run of a claimed turn, or resumes its relay. Throws when the run could not start. */
export async function startOrResume(
  context: ServiceContext<Deps>,
  turn: Turn,
): Promise<RelayHandle> {
  if (turn.run_id !== null) {
    const response = await reopenRun(context, turn)
    if (turn.stop_requested) await cancelStopped(context, turn)
    return { done: relay(context, toRelayTurn(turn), response, Number.NEGATIVE_INFINITY) }
  }
  try {
    const started = await startRun(context, turn)
    const since = performance.now()
    // Recorded before the first event: a stop must find the run as soon as a client sees the turn.
    const { stop_requested } = await recordRun(context.sql, started.turn)
    if (stop_requested) await cancelStopped(context, started.turn)
    const relayed = toRelayTurn(started.turn)
    const leaseSafeUntil = since + leaseMs - clockSkewMs
    return { done: relay(context, relayed, started.response, leaseSafeUntil) }
  } catch (thrown) {
    const fault = toRejection(toFault(thrown), turn.language)
    await rejectTurn(context.sql, turn, fault)
    throw fault
  }
}

/** Maps a failure of another service to UPSTREAM_UNAVAILABLE; client errors stay as they are. */
function toRejection(fault: Fault, language: Language | null): Fault {
  if (fault.status >= 500) {
    const cause = fault.cause ?? fault
    return new Fault('UPSTREAM_UNAVAILABLE', text('turnNotStarted', language), { cause })
  }
  const key = rejectionTexts[fault.code]
  if (!key) return fault
  return new Fault(fault.kind, text(key, language), { code: fault.code, data: fault.data })
}

/** Texts of the engine's rejections, by code. */
const rejectionTexts: Record<string, TextKey> = {
  TURN_IN_PROGRESS: 'turnInProgress',
  CARD_PENDING: 'cardPending',
  NO_PENDING_CARD: 'noPendingCard',
  CARD_REQUIRED: 'cardRequired',
  CARD_ASSIGNED: 'cardAssigned',
}

/** Cancels the run of a turn that was stopped before its run was known. */
const cancelStopped = ({ engine, kit }: ServiceContext<Deps>, turn: Turn) =>
  cancelRun(engine, turn, peerHeaders(turn)).catch((thrown) => {
    kit.log.warn({ turn: turn.id, ...errorFields(thrown) }, 'cancel failed')
  })

/** Opens the stream of a run. A turn stays BROKEN while the engine is unavailable. */
async function reopenRun(context: ServiceContext<Deps>, turn: Turn): Promise<Response | undefined> {
  try {
    return await followRun(context.engine, turn, turn.run_id!, turn.engine_seq)
  } catch (thrown) {
    if (turn.before !== 'BROKEN' || isFaultCode(thrown, 'NOT_FOUND')) return undefined
    await restoreBroken(context.sql, turn)
    throw thrown
  }
}

/** Claims and relays a turn whose lease has expired; undefined when another process relays it or it is over. */
export async function claimAndRelay(
  context: ServiceContext<Deps>,
  turn_id: string,
): Promise<RelayHandle | undefined> {
  const [turn] = await claim(context.sql, fragment`t.id = ${turn_id}`)
  return turn && startOrResume(context, turn)
}

/** Takes over turns whose lease has expired and resumes BROKEN turns. Returns their number. */
export async function takeOverExpiredTurns(context: ServiceContext<Deps>): Promise<number> {
  const turns = await claim(context.sql, fragment`lease_until < now()`, 16)
  const handles = await Promise.allSettled(turns.map((turn) => startOrResume(context, turn)))
  for (const { id: turn, run_id: run } of turns)
    context.kit.log.info({ turn, run }, 'turn taken over')
  const started = handles.filter((each) => each.status === 'fulfilled')
  if (context.kit.runtime === 'workerd') await Promise.all(started.map(({ value }) => value.done))
  return started.length
}

/** Time for a turn that was taken over to end before a new turn is rejected. */
const takeoverWaitMs = 3_000

/** Starts a turn, or joins the turn that the same client_message_id started. */
export async function startOrJoinTurn(
  context: ServiceContext<Deps>,
  session: string,
  turnRequest: TurnRequest,
): Promise<RelayedTurn> {
  for (let attempt = 1; ; attempt++) {
    const opened = await openTurn(context.sql, session, turnRequest)
    if ('joined' in opened) {
      return { turn_id: opened.joined, ...(await claimAndRelay(context, opened.joined)) }
    }
    if ('turn' in opened) {
      return { turn_id: opened.turn.id, ...(await startOrResume(context, opened.turn)) }
    }
    const takenOver = attempt === 1 && (await claimAndRelay(context, opened.busy))
    if (!takenOver) throw turnInProgress(turnRequest.language)
    await Promise.race([
      takenOver.done,
      new Promise((resolve) => setTimeout(resolve, takeoverWaitMs)),
    ])
  }
}

export const turnInProgress = (language: Language | null) =>
  new Fault('CONFLICT', text('turnInProgress', language), { code: 'TURN_IN_PROGRESS' })

export const noPendingCard = (language: Language | null) =>
  new Fault('CONFLICT', text('noPendingCard', language), { code: 'NO_PENDING_CARD' })
