import type { ServiceContext } from '../../_kit/context.ts'
import { Fault } from '../../_kit/fault.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { bindMatter, createMatter, loadMatterProfile, syncFiles } from './bind-matter.ts'
import { followRun, isFaultCode, loadNewestRun, sendRequest } from './engine.ts'
import type { Turn } from './turn.ts'

/** A turn whose run has started, with the run's stream. */
export interface StartedTurn {
  turn: Turn
  response: Response
}

/** Starts the run while the session is bound to its matter, which the first turn creates. */
export async function startRun(context: ServiceContext<Deps>, turn: Turn): Promise<StartedTurn> {
  if (turn.matter_id !== null) return startRunFor(context, turn, turn.matter_id)
  const matter_id = await createMatter(context.matter, turn)
  const [started, bound] = await Promise.allSettled([
    startRunFor(context, { ...turn, matter_id }, matter_id),
    bindMatter(context.sql, turn, matter_id),
  ])
  if (started.status === 'rejected') throw started.reason
  if (bound.status === 'rejected') throw bound.reason
  return started.value
}

/** Starts the run. A run that an earlier attempt started is found again. */
async function startRunFor(
  context: ServiceContext<Deps>,
  turn: Turn,
  matter_id: string,
): Promise<StartedTurn> {
  const { matter, engine } = context
  // An earlier attempt may have started the run without recording it.
  const earlier = turn.token > 1 ? await findUnrecordedRun(context, turn) : undefined
  if (earlier) return earlier
  const profile = await loadMatterProfile(matter, turn, matter_id)
  await syncFiles(matter, turn, matter_id, profile.file_ids)
  const send = async (): Promise<StartedTurn> => {
    const response = await sendRequest(engine, turn, profile.visible)
    const run_id = response.headers.get('x-run-id') ?? (await loadNewestRun(engine, turn))?.run_id
    if (run_id === undefined)
      throw new Fault('INTERNAL', 'The response of ai-engine has no run id.')
    // The same answers of an earlier turn have closed the card since it was read.
    if (turn.request.kind === 'resume' && (await isRecorded(context.sql, run_id))) {
      await response.body?.cancel()
      throw new Fault('CONFLICT', 'The card was answered.', { code: 'NO_PENDING_CARD' })
    }
    return { turn: { ...turn, run_id }, response }
  }
  try {
    return await send()
  } catch (thrown) {
    if (!isFaultCode(thrown, 'TURN_IN_PROGRESS', 'UPSTREAM_UNAVAILABLE')) throw thrown
    // The engine may have started the run before it failed. The same answers to a card return that run.
    const find = turn.request.kind === 'resume' ? send() : findUnrecordedRun(context, turn)
    const started = await find.catch(() => undefined)
    if (started) return started
    throw thrown
  }
}

/** Finds the run that an earlier attempt started: the newest run of the thread, if no turn has recorded it. */
async function findUnrecordedRun(
  context: ServiceContext<Deps>,
  turn: Turn,
): Promise<StartedTurn | undefined> {
  // Resume is idempotent in the engine: the same answers return the run that they started.
  if (turn.request.kind === 'resume') return undefined
  const newest = await loadNewestRun(context.engine, turn)
  if (!newest || !matchesRun(turn, newest)) return undefined
  if (await isRecorded(context.sql, newest.run_id)) return undefined
  const response = await followRun(context.engine, turn, newest.run_id, 0)
  return { turn: { ...turn, run_id: newest.run_id }, response }
}

/** Whether a turn relays or has relayed a run. */
async function isRecorded(sql: Sql, run_id: string): Promise<boolean> {
  const recorded = await sql`select 1 from consultations.turns where run_id = ${run_id}`
  return recorded.length > 0
}

/** A run without a message continues a skipped card; otherwise the messages are equal. */
const matchesRun = ({ request }: Turn, { user_message }: { user_message: string }) =>
  request.kind === 'skip' || (request.kind === 'chat' && user_message === request.message)
