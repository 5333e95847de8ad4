import { expect, test } from 'vitest'
import { makeFact } from '../facts.ts'
import { initialState, type State } from './state.ts'
import { upgradeState } from './upgrade-state.ts'

const task = { task_id: 't', skill: 'a' }
const ask = { skill: 'a', control: { action: 'ask_user', title: 'More?', questions: [] } }
const answered = { card_id: 'c', skill: 'a', answers: {}, basis: null, skipped: false }

/** A state as graph version 1 stored it. */
function storedV1(round: object) {
  const { tasks: _, asks: __, ...rest } = initialState.round
  const { facts: ___, shape: ____, ...state } = initialState
  return { ...state, round: { ...rest, task: null, ask: null, ...round } }
}

const upgradedRound = (round: object) => upgradeState(storedV1(round)).round

test('a running task of version 1 becomes the only task', () => {
  expect(upgradedRound({ task })).toEqual({ ...initialState.round, tasks: [task] })
})

test('a card of version 1 that was not shown yet is queued', () => {
  expect(upgradedRound({ ask }).asks).toEqual([ask])
  expect(upgradedRound({ ask, answered, done: ['a'] }).asks).toEqual([ask])
})

test('a card of version 1 that was answered is not shown again', () => {
  expect(upgradedRound({ ask, answered }).asks).toEqual([])
})

test('a state of the present version is returned unchanged', () => {
  const state: State = { ...initialState, work: { a: 'done' } }
  expect(upgradeState(state)).toBe(state)
})

test('facts that the skills of version 3 kept are shared with their source and quote', () => {
  const { facts: _, shape: __, ...state } = initialState
  const stored = {
    ...state,
    intake_collection: {
      complete: true,
      amount: 100_000,
      opposing_party: null,
      private_lending: { due_date: '2024-05-01' },
      details: { 'private_lending.agreement_form': 'written' },
      found_by: { amount: 'rules', 'private_lending.agreement_form': 'file' },
      quotes: { amount: '借给张三10万元' },
    },
    calculation: { answers: { private_lending__annual_rate: 10 } },
    document_drafting: { details: { client_name: '李四' }, details_asked: true },
  }
  const answered = { quote: null, source: 'answer', confidence: 1, confirmed: true }
  expect(upgradeState(stored).facts).toEqual({
    amount: {
      ...{ value: 100_000, source: 'rules', quote: '借给张三10万元' },
      ...{ confidence: 0.8, confirmed: false },
    },
    opposing_party: { ...answered, value: null },
    'private_lending.due_date': { ...answered, value: '2024-05-01' },
    'private_lending.agreement_form': {
      ...{ value: 'written', source: 'file', quote: null, confidence: 0.9, confirmed: false },
    },
    'private_lending.annual_rate': { ...answered, value: 10 },
    client_name: { ...answered, value: '李四' },
  })
})

test('an answer to a card of version 3 wins over what its skill kept', () => {
  const { shape: _, ...state } = initialState
  const fact = makeFact(80_000, 'answer')
  const stored = { ...state, facts: { amount: fact }, intake_collection: { amount: 70_000 } }
  expect(upgradeState(stored).facts).toEqual({ amount: fact })
})
