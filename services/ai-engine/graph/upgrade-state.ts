import type { RequestedCard, Round, State, Task } from './state.ts'

/** A round of graph version 1, which ran one skill at a time. */
type RoundV1 = Omit<Round, 'tasks' | 'asks'> & { task: Task | null; ask: RequestedCard | null }

/** Brings a stored state to the present graph version. */
export function upgradeState(stored: unknown): State {
  const state = stored as State
  if (Array.isArray(state.round.asks)) return state
  const { task, ask, ...round } = state.round as unknown as RoundV1
  // Version 1 kept a card that was shown. A round that continues after it has not run its skill yet.
  const isClosed = round.answered !== null && !round.done.includes(round.answered.skill)
  const asks = ask && !isClosed ? [ask] : []
  return { ...state, round: { ...round, tasks: task ? [task] : [], asks } }
}
