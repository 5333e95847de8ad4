import { newId } from '../../_kit/ids.ts'
import type { Failure } from '../run/failure.ts'
import type { EmittedText, Outcome, PureNode } from '../run/graph.ts'
import type { NewEvent } from '../run/replay-filter.ts'
import { hashCard } from '../store/cards.ts'
import type { RequestedCard, State } from './state.ts'
import { localizeFailure, personLanguage } from './texts.ts'
import { graphVersion } from './versions.ts'

/** Ends the run with the oldest queued card. The thread waits for its answer; other cards stay queued. */
export const askUser: PureNode<State> = async (state) => {
  const [{ skill, control }, ...asks] = state.round.asks as [RequestedCard, ...RequestedCard[]]
  const { review_type, title, questions, basis, assignee } = control
  const skippable = isSkippable(control)
  const skill_version = skillVersion(state, skill)
  const card = {
    card_id: newId(),
    review_type,
    title,
    questions,
    ...(skippable && { skippable }),
    ...cardDeadline(control),
    ...cardReminders(control),
    ...(assignee && { assignee }),
    graph_version: graphVersion,
    skill_version,
  }
  const output = state.round.reply || title
  return {
    state: { ...state, round: { ...state.round, asks } },
    next: null,
    events: [
      ['card', card],
      ['end', { output, status: 'interrupted' }],
    ],
    end: {
      status: 'interrupted',
      output,
      result: null,
      error: null,
      skills: state.round.done,
      skill_version,
      card: { card, skill, skippable, basis: basis ?? null, hash: await hashCard(card, basis) },
    },
  }
}

/** A skill decides whether its card can be skipped. Default: a card without required questions can. */
function isSkippable({ skippable, review_type, questions }: RequestedCard['control']): boolean {
  const optional = questions.every(({ required }) => !required)
  return skippable ?? (optional && (review_type === 'clarify' || review_type === 'select'))
}

const cardDeadline = ({ expires_in_seconds: seconds, on_expiry }: RequestedCard['control']) =>
  seconds === undefined
    ? {}
    : { expires_at: new Date(Date.now() + seconds * 1_000).toISOString(), on_expiry }

const cardReminders = ({ remind_after_seconds: delays = [] }: RequestedCard['control']) =>
  delays.length === 0
    ? {}
    : {
        reminders: delays
          .toSorted((a, b) => a - b)
          .map((seconds) => new Date(Date.now() + seconds * 1_000).toISOString()),
      }

/** Version of a skill when the round started. */
const skillVersion = ({ table }: State, skill: string) =>
  table.find(({ name }) => name === skill)?.version ?? '1'

/** Version of the last skill that ran in the round; null if none ran. */
const lastVersion = (state: State) => {
  const last = state.round.done.at(-1)
  return last === undefined ? null : skillVersion(state, last)
}

export const finish: PureNode<State> = async (state) => {
  const { error, reply, done } = state.round
  return error ? failedOutcome(state, error) : completedOutcome(state, reply, done)
}

function completedOutcome(state: State, reply: string, done: string[]): Outcome<State> {
  const result = buildResult(state)
  return {
    state: { ...state, messages: [...state.messages, ...replyMessages(reply)] },
    next: null,
    events: [
      ['result', result],
      ['end', { output: reply, status: 'completed' }],
    ],
    end: {
      status: 'completed',
      output: reply,
      result,
      error: null,
      skills: done,
      skill_version: lastVersion(state),
      card: null,
    },
  }
}

const replyMessages = (reply: string): State['messages'] =>
  reply === '' ? [] : [{ role: 'assistant', content: reply }]

/** The result of a round: the state of each skill that ran. */
function buildResult(state: State) {
  const { done, sync, missing } = state.round
  return {
    skills: done,
    outputs: Object.fromEntries(done.map((name) => [name, state[name]])),
    sync,
    missing,
  }
}

/**
 * Text of the round that clients received: emitted by the current step, or committed. The replies of skills are
 * received only when `chat_respond` has emitted them; after a failure the reply is what was received until then.
 */
export function receivedText({ round }: State, emitted?: EmittedText): string {
  const isReceived = round.done.includes('chat') || round.error !== null
  return emitted?.('chat_respond') || (isReceived ? round.reply : '')
}

/** Ends a run that failed or was cancelled. Its text so far is kept; the thread accepts the next turn. */
export function failedOutcome(
  state: State,
  failure: Failure,
  emitted?: EmittedText,
): Outcome<State> {
  const error = localizeFailure(failure, personLanguage(state))
  const { done, tasks } = state.round
  const reply = receivedText(state, emitted)
  const events: NewEvent[] = [
    ...tasks.map((task): NewEvent => ['task_end', { ...task, status: 'failed', duration_ms: 0 }]),
    ['error', { ...error }],
    ['end', { output: reply, status: 'failed' }],
  ]
  return {
    state: {
      ...state,
      messages: [...state.messages, ...replyMessages(reply)],
      round: { ...state.round, error, reply, tasks: [] },
    },
    next: null,
    events,
    end: {
      status: 'failed',
      output: reply,
      result: null,
      error,
      skills: done,
      skill_version: lastVersion(state),
      card: null,
    },
  }
}
