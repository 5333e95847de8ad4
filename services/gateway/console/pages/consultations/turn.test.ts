import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StreamEvent } from './event-stream.ts'
import { applyEvent, lastEventIdOf, MissingEvents, newTurn } from './turn.ts'

const deltas = (words: string[], turn = 'turn-1'): StreamEvent[] =>
  words.map((content, index) => ({
    id: `${turn}:${index + 1}`,
    event: 'delta',
    data: { content },
  }))
const applyAll = (events: StreamEvent[], from = newTurn()) => events.reduce(applyEvent, from)

test('events that arrive twice, in order or from an earlier point, do not double a word', () => {
  const word = fc.string({ minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 30 }),
      fc.nat(),
      fc.nat(),
      (words, cut, back) => {
        const events = deltas(words)
        const received = (cut % events.length) + 1
        const restart = back % (received + 1)
        const before = applyAll(events.slice(0, received))
        expect(applyAll(events.slice(restart), before).text).toBe(words.join(''))
      },
    ),
  )
})

test('an event after a gap is refused, and the state still names the last event', () => {
  const [first, , third] = deltas(['a', 'b', 'c'])
  const turn = applyEvent(newTurn(), first!)
  expect(() => applyEvent(turn, third!)).toThrow(MissingEvents)
  expect(lastEventIdOf(turn)).toBe('turn-1:1')
})

test('the first event of the next turn replaces the state of the turn before', () => {
  const before = applyAll(deltas(['old']))
  expect(applyAll(deltas(['new'], 'turn-2'), before)).toMatchObject({ id: 'turn-2', text: 'new' })
})

test('tasks, progress, card, error and end become parts of the turn', () => {
  const card = { card_id: 'c', questions: [] }
  const data: [string, unknown][] = [
    ['task_start', { task_id: 't', title: 'Search' }],
    ['progress', { message: 'Half' }],
    ['task_end', { task_id: 't', status: 'completed' }],
    ['card', card],
    ['error', { code: 'STOPPED', message: 'Stopped.' }],
    ['end', { interrupted: true }],
  ]
  const events = data.map(([event, data], index) => ({ id: `t:${index + 1}`, event, data }))
  expect(applyAll(events.slice(0, 2)).progress).toBe('Half')
  expect(applyAll(events)).toMatchObject({
    tasks: [{ id: 't', title: 'Search', status: 'completed' }],
    card,
    error: { code: 'STOPPED' },
    isEnded: true,
  })
})
