import type * as z from 'zod'
import { type Facts, factKey, makeFact } from '../facts.ts'
import type { AnsweredCard, Control, FrontMatter, Skill } from '../skill.ts'
import { detectLanguage, type Language } from '../skills/_shared/language.ts'
import type { StoredCard } from '../store/cards.ts'
import type { Op } from '../store/delta.ts'
import type { NewRun } from '../store/start-run.ts'
import type { OpenAnalysis } from './open-analysis.ts'
import { graphVersion } from './versions.ts'

export const phases = ['intake', 'analysis', 'strategy', 'drafting', 'delivery'] as const
export type Phase = (typeof phases)[number]

/** Routing data of a skill. Part of the state, so that routing depends on the state alone. */
export type RoutingEntry = Pick<FrontMatter, 'name' | 'after' | 'internal' | 'api_call_only'> & {
  phase: Phase | null
  version?: string
  rereads?: boolean
  applies_to?: FrontMatter['applies_to']
}

export interface RequestedCard {
  skill: string
  control: z.output<typeof Control>
}

/** A skill that was dispatched. */
export interface Task {
  task_id: string
  skill: string
}

/** Request and progress of a round. Each run starts a new round. */
export interface Round {
  message: string
  skill: string | null
  skill_only: boolean
  /** Whether the request contained the matter profile. */
  profiled: boolean
  /** Skills that ran in this round. */
  done: string[]
  /** The skills that are running. */
  tasks: Task[]
  /** Cards that skills requested and that were not shown yet, oldest first. */
  asks: RequestedCard[]
  /** The closed card that this round continues after. */
  answered: (AnsweredCard & { skill: string }) | null
  /** Reply to the person. */
  reply: string
  /** Context that could not be loaded: `matter`, `memory`. */
  missing: string[]
  sync: 'none' | 'done' | 'queued'
  error: { code: string; message: string } | null
}

/** State of a thread. Each skill has its own member under its name. */
export interface State {
  round: Round
  messages: { role: 'user' | 'assistant'; content: string }[]
  file_ids: string[]
  matter: Record<string, unknown>
  memory: unknown
  /** What is known about the case, by key. Cards and skills write facts; every skill may read them. */
  facts: Facts
  /** Version of the shape of the state. Absent before version 4. */
  shape?: number
  /** Progress by skill: done, waiting for an answer, or done before its inputs changed. */
  work: Record<string, 'done' | 'waiting' | 'stale'>
  /** Number of files when a skill with `rereads` last completed. */
  files_read?: number
  table: RoutingEntry[]
  /** The analysis that skills write; absent before the first part. */
  analysis?: OpenAnalysis
  /** Language of the last message with letters; absent before the first one. */
  language?: Language
  [part: string]: unknown
}

/** Members of the state that are not skills. */
export const reservedNames = [
  'round',
  'messages',
  'file_ids',
  'matter',
  'memory',
  'work',
  'table',
  'language',
  'message',
  'files_read',
  'analysis',
  'facts',
  'shape',
]

const freshRound: Round = {
  message: '',
  skill: null,
  skill_only: false,
  profiled: false,
  done: [],
  tasks: [],
  asks: [],
  answered: null,
  reply: '',
  missing: [],
  sync: 'none',
  error: null,
}

/** Version of the shape that `upgradeState` brings a state to. */
export const stateShape = 4

export const initialState: State = {
  shape: stateShape,
  facts: {},
  round: freshRound,
  messages: [],
  file_ids: [],
  matter: {},
  memory: null,
  work: {},
  table: [],
}

export const routingTable = (skills: Skill[]): RoutingEntry[] =>
  skills.map(
    ({ name, version, after, internal, api_call_only, rereads, applies_to, phase = null }) => ({
      name,
      version,
      after,
      internal,
      api_call_only,
      phase,
      ...(rereads && { rereads }),
      ...(applies_to && { applies_to }),
    }),
  )

export interface StartRequest {
  message: string
  file_ids: string[]
  skill: string | null
  skill_only: boolean
  matter_profile: Record<string, unknown> | null
}

/** Adds files to the state. Duplicates are removed when the context is loaded. */
const addFiles = (file_ids: string[]): Op[] =>
  file_ids.length === 0 ? [] : [['add', ['file_ids'], file_ids]]

/** Marks the done work of all skills that depend on a skill as stale. */
export function markDependentsStale(
  work: State['work'],
  table: RoutingEntry[],
  skill: string,
): State['work'] {
  const marked = { ...work }
  const pending = [skill]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    for (const dependent of table.filter(({ after }) => after.includes(name!))) {
      if (marked[dependent.name] !== 'done') continue
      marked[dependent.name] = 'stale'
      pending.push(dependent.name)
    }
  }
  return marked
}

/** Builds the input of a run for a message. */
export function buildStartInput(
  request: StartRequest,
  table: RoutingEntry[],
): Pick<NewRun, 'node' | 'next' | 'input' | 'graph_version'> {
  const { message, file_ids, skill, skill_only, matter_profile } = request
  const language = detectLanguage(message)
  const input: Op[] = [
    [
      'set',
      ['round'],
      {
        ...freshRound,
        message,
        skill,
        skill_only,
        profiled: matter_profile !== null,
      },
    ],
    ['set', ['table'], table],
    ...(language ? [['set', ['language'], language] as Op] : []),
    ...(message === '' ? [] : [['add', ['messages'], [{ role: 'user', content: message }]] as Op]),
    ...addFiles(file_ids),
    ...(matter_profile === null ? [] : [['set', ['matter'], matter_profile] as Op]),
  ]
  return { node: 'start', next: 'load_context', input, graph_version: graphVersion }
}

/** Builds the input of a run that continues after a card: each answer is set at its field_key and is a fact. */
export function buildResumeInput(
  table: RoutingEntry[],
  { card_id, skill, basis }: StoredCard,
  answers: Record<string, unknown>,
  skipped: boolean,
  { migration, file_ids }: { migration: Op[]; file_ids: string[] },
): Omit<NewRun, 'origin'> {
  const answerOps = Object.entries(answers).map(
    ([field_key, value]): Op => ['set', field_key.split('.'), value],
  )
  const factOps = Object.entries(answers).flatMap(([field_key, value]): Op[] => {
    const key = factKey(field_key)
    return key === undefined ? [] : [['set', ['facts', key], makeFact(value, 'answer')]]
  })
  const next = continuation(table, { answered: { card_id, skill, answers, basis, skipped } })
  return {
    ...next,
    next: 'load_context',
    input: [...migration, ...answerOps, ...factOps, ...addFiles(file_ids), ...next.input],
  }
}

/** Builds the input of a run that ends as failed because a card expired. */
export const buildExpiredInput = (table: RoutingEntry[]): Omit<NewRun, 'origin'> =>
  continuation(table, {
    error: { code: 'CARD_EXPIRED', message: 'The card was not answered in time.' },
  })

/** A new round for the same request: its purpose and its queued cards stay, its progress is reset. */
function continuation(table: RoutingEntry[], changes: Partial<Round>): Omit<NewRun, 'origin'> {
  const { skill: _, skill_only: __, asks: ___, ...reset } = freshRound
  const round = { ...reset, ...changes }
  return {
    kind: 'resume',
    node: 'resume',
    next: 'finish',
    input: [
      ...Object.entries(round).map(([name, value]): Op => ['set', ['round', name], value]),
      ['set', ['table'], table],
    ],
    user_message: '',
    graph_version: graphVersion,
  }
}
