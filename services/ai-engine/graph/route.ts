import { containsFacts, readMessage } from '../skills/_shared/read-message.ts'
import { isApplicable } from './applicability.ts'
import { type Phase, phases, type RoutingEntry, type State } from './state.ts'

/** The next node of a run and the skills that it runs. */
export type Decision =
  | { next: 'dispatch'; skills: string[]; goal: Goal }
  | { next: 'chat_respond' | 'ask_user' | 'finish'; skills: []; goal: Goal }

/** Goal of a round: one skill, a reply, or the next work on the matter. */
export type Goal = 'skill' | 'answer' | 'matter'

/**
 * Selects the next node, from the state alone. Terminates, because a skill is dispatched at most once
 * per round.
 */
export function route(state: State): Decision {
  const { round } = state
  const goal = chooseGoal(state)
  const to = (next: 'chat_respond' | 'ask_user' | 'finish'): Decision => ({
    next,
    skills: [],
    goal,
  })
  if (round.error) return to('finish')
  const skills = nextSkills(state, goal)
  const continues = round.answered !== null && skills.includes(round.answered.skill)
  // One card is shown at a time; the skill of an answered card runs before the next card is shown.
  if (round.asks.length > 0 && !continues) return to('ask_user')
  if (skills.length > 0) return { next: 'dispatch', skills, goal }
  const answered = round.done.includes('chat')
  const silent = round.skill_only && round.skill !== 'chat'
  return to(answered || silent ? 'finish' : 'chat_respond')
}

export function chooseGoal({ round, work }: State): Goal {
  if (round.skill !== null) return 'skill'
  if (round.answered) return 'matter'
  const started = Object.keys(work).some((skill) => skill !== 'chat')
  return !started && isBareQuestion(round.message) ? 'answer' : 'matter'
}

/** Skills that one step runs at most. */
const maxParallel = 8

/**
 * The next skills: the one whose card was answered, the requested one, or all due ones. Due skills do not
 * depend on each other, since the dependencies of a due skill are done.
 */
function nextSkills(state: State, goal: Goal): string[] {
  const { round } = state
  const isWaiting = (name: string) => round.asks.some(({ skill }) => skill === name)
  const isOpen = (name: string) => name !== 'chat' && !round.done.includes(name) && !isWaiting(name)
  if (round.answered && isOpen(round.answered.skill)) return [round.answered.skill]
  if (goal === 'skill') return [round.skill!].filter(isOpen)
  if (goal === 'answer') return []
  return dueSkills(state).filter(isOpen).slice(0, maxParallel)
}

const dueSkills = (state: State) =>
  state.table.filter((entry) => isDue(state, entry)).map(({ name }) => name)

/** True if the work of the skill is not done or has to be done again, and its dependencies are done. */
function isDue(state: State, entry: RoutingEntry): boolean {
  const { work, matter } = state
  if (entry.phase === null || entry.internal || entry.api_call_only) return false
  if (!isApplicable(state, entry.applies_to)) return false
  // A skill waits for the skills before it, also where they run again.
  if (entry.after.some((name) => runsAgain(state, name))) return false
  if (isStale(state, entry)) return entry.after.every((name) => isSettled(state, name))
  return (
    work[entry.name] !== 'done' &&
    !phaseIsOver(matter, entry.phase) &&
    gateIsOpen(state, entry.phase) &&
    entry.after.every((name) => isSettled(state, name) || doneElsewhere(state, name))
  )
}

/** True for work that is done, and for a skill that is not meant for the matter. */
const isSettled = (state: State, name: string): boolean => {
  if (state.work[name] === 'done') return true
  const entry = state.table.find((each) => each.name === name)
  return entry !== undefined && !isApplicable(state, entry.applies_to)
}

/** True for work that was done on facts that are not all the facts any more. A completed phase does not end it. */
const isStale = (state: State, { name, rereads }: RoutingEntry): boolean =>
  state.work[name] === 'stale' ||
  (rereads === true && state.work[name] === 'done' && hasNewFacts(state))

/** True if a skill is stale and has not run in this round yet. */
const runsAgain = (state: State, name: string): boolean => {
  const entry = state.table.find((each) => each.name === name)
  return (
    entry !== undefined &&
    !state.round.done.includes(name) &&
    isApplicable(state, entry.applies_to) &&
    isStale(state, entry)
  )
}

/** True if the message contains facts, or if files were added after the last reading. */
const hasNewFacts = ({ round, file_ids, files_read = file_ids.length }: State): boolean =>
  file_ids.length > files_read || containsFacts(round.message)

/** A phase opens when all earlier phases are over. A phase without skills blocks later ones. */
function gateIsOpen(state: State, phase: Phase): boolean {
  const { table, work, matter } = state
  return phases.slice(0, phases.indexOf(phase)).every((earlier) => {
    if (phaseIsOver(matter, earlier)) return true
    const entries = table.filter(
      (entry) => entry.phase === earlier && !entry.internal && !entry.api_call_only,
    )
    return (
      entries.length > 0 &&
      entries.every(
        ({ name, applies_to }) => work[name] === 'done' || !isApplicable(state, applies_to),
      )
    )
  })
}

const doneElsewhere = ({ table, matter }: State, name: string) => {
  const entry = table.find((each) => each.name === name)
  return entry?.phase != null && phaseIsOver(matter, entry.phase)
}

/** Reads the phase from the matter: another thread may have completed it. */
function phaseIsOver(matter: State['matter'], phase: Phase): boolean {
  const matterPhases = Array.isArray(matter.phases) ? matter.phases : []
  return matterPhases.some(
    (each: { phase_id?: unknown; status?: unknown } | null) =>
      each?.phase_id === phase && (each.status === 'COMPLETED' || each.status === 'SKIPPED'),
  )
}

/** True for a general question or small talk, false for the story of a case or other work. */
export const isBareQuestion = (message: string): boolean => {
  const reading = readMessage(message)
  return reading === 'question' || reading === 'small_talk'
}
