import { expect, test } from 'vitest'
import { initialState, type State } from './state.ts'
import { upgradeState } from './upgrade-state.ts'

const task = { task_id: 't', skill: 'a' }
const ask = { skill: 'a', control: { action: 'ask_user', title: 'More?', questions: [] } }
const answered = { card_id: 'c', skill: 'a', answers: {}, basis: null, skipped: false }

/** A state as graph version 1 stored it. */
function storedV1(round: object) {
  const { tasks: _, asks: __, ...rest } = initialState.round
  return { ...initialState, round: { ...rest, task: null, ask: null, ...round } }
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
