import { Fault } from '../../_kit/fault.ts'
import type { ServiceContext } from '../../_kit/service.ts'
import type { Deps } from '../deps.ts'
import { bind, profileOf } from './bind.ts'
import { followRun, isCode, newestRun, request } from './engine.ts'
import type { Turn } from './turn.ts'

/** A turn whose run has begun, and the stream of it. */
export interface Begun {
  turn: Turn
  response: Response
}

/** Binds the turn's session to a matter and takes its request to the engine. Nothing is begun twice. */
export async function begin(given: ServiceContext<Deps>, asked: Turn): Promise<Begun> {
  const { sql, matter, engine } = given
  const matter_id = await bind(sql, matter, asked)
  const turn = { ...asked, matter_id }
  // What was tried before may have come through.
  const before = turn.token > 1 ? await earlier(given, turn) : undefined
  if (before) return before
  const profile =
    turn.request.kind === 'chat' ? await profileOf(matter, turn, matter_id) : undefined
  try {
    const response = await request(engine, turn, profile)
    const run_id = response.headers.get('x-run-id') ?? (await newestRun(engine, turn))?.run_id
    if (run_id === undefined) throw new Fault('INTERNAL', 'The engine does not name its run.')
    return { turn: { ...turn, run_id }, response }
  } catch (thrown) {
    if (!isCode(thrown, 'TURN_IN_PROGRESS', 'UPSTREAM_UNAVAILABLE')) throw thrown
    const lost = await earlier(given, turn).catch(() => undefined)
    if (lost) return lost
    throw thrown
  }
}

/** The run that the same request began, though we never heard so: the thread's newest, if nobody knows it. */
async function earlier(given: ServiceContext<Deps>, turn: Turn): Promise<Begun | undefined> {
  // The same answers lead to the run that they began; there is nothing to look for.
  if (turn.request.kind === 'resume') return undefined
  const newest = await newestRun(given.engine, turn)
  if (!newest || newest.user_message !== turn.request.message) return undefined
  const [known] = await given.sql`
    select 1 from consultations.turns where run_id = ${newest.run_id}`
  if (known) return undefined
  const response = await followRun(given.engine, turn, newest.run_id, 0)
  return { turn: { ...turn, run_id: newest.run_id }, response }
}
