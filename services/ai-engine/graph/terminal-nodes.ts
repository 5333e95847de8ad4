import { newId } from '../../_kit/ids.ts'
import type { NewEvent, Outcome, PureNode } from '../run/graph.ts'
import { hashCard } from '../store/cards.ts'
import type { State } from './state.ts'

/** Stops until a person has answered. */
export const askUser: PureNode<State> = async (state) => {
  const { skill, control } = state.round.ask!
  const { review_type, title, questions, basis } = control
  const card = { card_id: newId(), review_type, title, questions }
  const output = state.round.reply || title
  return {
    state,
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
      card: { card, skill, basis: basis ?? null, hash: await hashCard(card, basis) },
    },
  }
}

export const finish: PureNode<State> = async (state) => {
  const { error, reply, done } = state.round
  return error ? failedOutcome(state, error) : completedOutcome(state, reply, done)
}

function completedOutcome(state: State, reply: string, done: string[]): Outcome<State> {
  const result = resultOf(state)
  const replyMessage = reply === '' ? [] : [{ role: 'assistant' as const, content: reply }]
  return {
    state: { ...state, messages: [...state.messages, ...replyMessage] },
    next: null,
    events: [
      ['result', result],
      ['end', { output: reply, status: 'completed' }],
    ],
    end: { status: 'completed', output: reply, result, error: null, skills: done, card: null },
  }
}

/** What the round made: the parts of the skills that ran, as they are now. */
function resultOf(state: State) {
  const { done, sync, missing } = state.round
  return {
    skills: done,
    outputs: Object.fromEntries(done.map((name) => [name, state[name]])),
    sync,
    missing,
  }
}

/** The end of a run that failed or may not go on. The thread can. */
export function failedOutcome(
  state: State,
  error: { code: string; message: string },
): Outcome<State> {
  const { reply, done, task } = state.round
  const events: NewEvent[] = [
    ...(task ? [['task_end', { ...task, status: 'failed', duration_ms: 0 }] as NewEvent] : []),
    ['error', { code: error.code, message: error.message }],
    ['end', { output: reply, status: 'failed' }],
  ]
  return {
    state: { ...state, round: { ...state.round, error, task: null } },
    next: null,
    events,
    end: { status: 'failed', output: reply, result: null, error, skills: done, card: null },
  }
}
