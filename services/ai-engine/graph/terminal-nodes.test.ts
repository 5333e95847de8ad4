import { describe, expect, test } from 'vitest'
import { initialState, type Round, type State } from './state.ts'
import { failedOutcome } from './terminal-nodes.ts'

const stopped = { code: 'STOPPED', message: 'The run was stopped.' }
const round = (more: Partial<Round>): State => ({
  ...initialState,
  round: { ...initialState.round, ...more },
})

describe('a run that is stopped', () => {
  test.each<[string, State, string, string]>([
    ['before the replies of skills are emitted', round({ reply: 'Noted.', done: ['a'] }), '', ''],
    ['while its reply is emitted', round({ reply: 'Noted.', done: ['a'] }), 'Not', 'Not'],
    ['after its reply', round({ reply: 'Noted.', done: ['a', 'chat'] }), '', 'Noted.'],
    ['after its reply failed', round({ reply: 'Not', error: stopped }), '', 'Not'],
  ])('%s stores the text that clients received', (_, state, emitted, received) => {
    const outcome = failedOutcome(state, stopped, () => emitted)
    expect(outcome.end!.output).toBe(received)
    expect(outcome.events!.at(-1)).toEqual(['end', { output: received, status: 'failed' }])
    expect(outcome.state.messages).toEqual(
      received === '' ? [] : [{ role: 'assistant', content: received }],
    )
  })
})
