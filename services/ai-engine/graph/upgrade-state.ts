import { type Facts, factKey, makeFact } from '../facts.ts'
import { type RequestedCard, type Round, type State, stateShape, type Task } from './state.ts'

/** A round of graph version 1, which ran one skill at a time. */
type RoundV1 = Omit<Round, 'tasks' | 'asks'> & { task: Task | null; ask: RequestedCard | null }

/** Brings a stored state to the present graph version. */
export const upgradeState = (stored: unknown): State => shareFacts(queueCards(stored as State))

function queueCards(state: State): State {
  if (Array.isArray(state.round.asks)) return state
  const { task, ask, ...round } = state.round as unknown as RoundV1
  // Version 1 kept a card that was shown. A round that continues after it has not run its skill yet.
  const isClosed = round.answered !== null && !round.done.includes(round.answered.skill)
  const asks = ask && !isClosed ? [ask] : []
  return { ...state, round: { ...round, tasks: task ? [task] : [], asks } }
}

/** Up to version 3 each skill kept its facts. Answers to a card of an older version are facts already. */
function shareFacts(state: State): State {
  if (state.shape === stateShape) return state
  return { ...state, facts: { ...collectFacts(state), ...state.facts }, shape: stateShape }
}

type Members = Record<string, unknown>
const isRecord = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const toRecord = (value: unknown): Members => (isRecord(value) ? value : {})

/** Members of the intake that are no facts. */
const bookkeeping = new Set([
  ...['complete', 'missing', 'matter_category', 'service_type_id', 'language', 'reading'],
  ...['read', 'read_files', 'found_by', 'cause_name', 'details', 'quotes', 'unconfirmed'],
  ...['asked', 'open_questions', 'synced', 'figures_confirmed'],
])

/** Facts in the states of the skills that had them: intake, calculation and drafting. */
export function collectFacts(state: Members): Facts {
  const intake = toRecord(state.intake_collection)
  const foundBy = toRecord(intake.found_by)
  const quotes = toRecord(intake.quotes)
  const fields = Object.entries(intake).filter(([name]) => !bookkeeping.has(name))
  const values: Members = {
    ...toRecord(intake.details),
    ...Object.fromEntries(fields.flatMap(([name, value]) => flatten(name, value))),
  }
  const ofIntake = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      const source = foundBy[key] as Facts[string]['source'] | undefined
      const quote = typeof quotes[key] === 'string' ? quotes[key] : null
      return [key, makeFact(value, source ?? 'answer', quote)] as const
    })
  const answers = [
    ...Object.entries(toRecord(toRecord(state.calculation).answers)),
    ...Object.entries(toRecord(toRecord(state.document_drafting).details)),
  ].map(([name, value]) => [factKey(`answers.${name}`) ?? name, makeFact(value, 'answer')] as const)
  return Object.fromEntries([...answers, ...ofIntake])
}

/** A member that is an object holds the answers of one cause: `code.fact`. */
const flatten = (name: string, value: unknown): [string, unknown][] =>
  isRecord(value)
    ? Object.entries(value).map(([fact, each]) => [`${name}.${fact}`, each])
    : [[name, value]]
