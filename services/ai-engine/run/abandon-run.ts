import * as z from 'zod'
import type { Sql } from '../../_kit/sql/sql.ts'
import { initialState, type State } from '../graph/state.ts'
import { localizeFailure, personLanguage } from '../graph/texts.ts'
import { abandonRun } from '../store/abandon.ts'
import type { Lease } from '../store/lease.ts'
import { loadState } from '../store/state.ts'
import type { Failure } from './failure.ts'
import { loadEmitted } from './load-emitted.ts'

const Readable = z.looseObject({
  round: z.looseObject({}),
  messages: z.array(z.unknown()),
  file_ids: z.array(z.unknown()),
  work: z.looseObject({}),
})

/** Ends a run that no process can continue. The thread keeps its state if it can be read. */
export async function giveUpRun(sql: Sql, lease: Lease, failure: Failure) {
  const loaded = await loadState(sql, lease.thread_id, lease.head).catch(() => undefined)
  const state = Readable.safeParse(loaded).success ? (loaded as State) : initialState
  const output = await loadEmitted(sql, { ...lease, claims: 1 })
    .then(({ filter }) => filter.textOf('chat_respond'))
    .catch(() => '')
  const error = localizeFailure(failure, personLanguage(state))
  const round = { ...initialState.round, error }
  await abandonRun(sql, lease, { error, output, state: { ...state, round } })
}
