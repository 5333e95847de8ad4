import { Fault } from '../../_kit/fault.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import type { Deps } from '../deps.ts'
import { bindMatter, loadMatterProfile } from './bind-matter.ts'
import { followRun, isFaultCode, loadNewestRun, sendRequest } from './engine.ts'
import type { Turn } from './turn.ts'

/** A turn whose run has begun, and the stream of it. */
export interface StartedTurn {
  turn: Turn
  response: Response
}

/** Binds the turn's session to a matter and takes its request to the engine. Nothing is begun twice. */
export async function startRun(
  context: ServiceContext<Deps>,
  claimedTurn: Turn,
): Promise<StartedTurn> {
  const { sql, matter, engine } = context
  const matter_id = await bindMatter(sql, matter, claimedTurn)
  const turn = { ...claimedTurn, matter_id }
  // What was tried before may have come through.
  const before = turn.token > 1 ? await findUnrecordedRun(context, turn) : undefined
  if (before) return before
  const profile =
    turn.request.kind === 'chat' ? await loadMatterProfile(matter, turn, matter_id) : undefined
  try {
    const response = await sendRequest(engine, turn, profile)
    const run_id = response.headers.get('x-run-id') ?? (await loadNewestRun(engine, turn))?.run_id
    if (run_id === undefined) throw new Fault('INTERNAL', 'The engine does not name its run.')
    return { turn: { ...turn, run_id }, response }
  } catch (thrown) {
    if (!isFaultCode(thrown, 'TURN_IN_PROGRESS', 'UPSTREAM_UNAVAILABLE')) throw thrown
    const unrecorded = await findUnrecordedRun(context, turn).catch(() => undefined)
    if (unrecorded) return unrecorded
    throw thrown
  }
}

/** The run that the same request began, though we never heard so: the thread's newest, if nobody knows it. */
async function findUnrecordedRun(
  context: ServiceContext<Deps>,
  turn: Turn,
): Promise<StartedTurn | undefined> {
  // The same answers lead to the run that they began; there is nothing to look for.
  if (turn.request.kind === 'resume') return undefined
  const newest = await loadNewestRun(context.engine, turn)
  if (!newest || newest.user_message !== turn.request.message) return undefined
  const [recorded] = await context.sql`
    select 1 from consultations.turns where run_id = ${newest.run_id}`
  if (recorded) return undefined
  const response = await followRun(context.engine, turn, newest.run_id, 0)
  return { turn: { ...turn, run_id: newest.run_id }, response }
}
