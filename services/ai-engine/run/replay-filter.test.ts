import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RunEvent } from '../store/commit.ts'
import { makeReplayFilter, type NewEvent } from './replay-filter.ts'

const node = 'chat_respond'

/** A step on a database: emitted events are committed, and a new process restores them. */
function makeStep() {
  const committed: RunEvent[] = []
  let filter = makeReplayFilter()
  const send = (events: NewEvent[]) => {
    for (const [event, data] of events)
      committed.push({ seq: committed.length + 1, line: JSON.stringify({ event, data }) })
  }
  return {
    emit: (content: string) => send(filter.next('token', { node, content })),
    progress: (message: string) => send(filter.next('progress', { node, message })),
    retry: () => filter.discardAttempt(),
    crash() {
      filter = makeReplayFilter()
      for (const event of committed) filter.restore(event)
    },
    settle() {
      send(filter.settle({ node }))
      return filter.textOf(node)
    },
    events: () => committed.map(({ line }) => JSON.parse(line)),
    received: () =>
      committed
        .map(({ line }) => JSON.parse(line))
        .filter(({ event }) => event === 'token')
        .map(({ data }) => data.content)
        .join(''),
  }
}

const Chunks = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n') }), { maxLength: 6 })
const Attempt = fc.record({ chunks: Chunks, ending: fc.constantFrom('retry', 'crash') })

test('for all attempts, retries and crashes the stored text is the text that clients received', () => {
  fc.assert(
    fc.property(fc.array(Attempt, { maxLength: 6 }), Chunks, (attempts, last) => {
      const step = makeStep()
      for (const { chunks, ending } of attempts) {
        for (const chunk of chunks) step.emit(chunk)
        if (ending === 'crash') step.crash()
        else step.retry()
      }
      for (const chunk of last) step.emit(chunk)
      const stored = step.settle()
      expect(stored).toBe(step.received())
      expect(stored.endsWith(last.join(''))).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('attempts with the same text emit it once, however it is split', () => {
  fc.assert(
    fc.property(fc.array(Chunks, { minLength: 1, maxLength: 5 }), (splits) => {
      const text = splits[0]!.join('')
      const step = makeStep()
      for (const [index, split] of splits.entries()) {
        const size = Math.max(1, split.length)
        for (let at = 0; at < text.length; at += size) step.emit(text.slice(at, at + size))
        if (index % 2 === 0) step.crash()
        else step.retry()
      }
      step.emit(text)
      expect(step.settle()).toBe(text)
    }),
  )
})

test('a retry after a crash in the middle emits no text twice', () => {
  const step = makeStep()
  for (const word of ['one ', 'two ', 'three ', 'four']) step.emit(word)
  step.crash()
  step.emit('one ')
  step.retry()
  for (const word of ['one ', 'two ', 'three ', 'four']) step.emit(word)
  expect(step.settle()).toBe('one two three four')
})

test('an attempt with a different text starts a new paragraph after a progress event', () => {
  const step = makeStep()
  step.emit('The claim is')
  step.retry()
  step.emit('The ')
  step.emit('debt is due.')
  expect(step.settle()).toBe('The claim is\n\nThe debt is due.')
  expect(step.events().map(({ event }) => event)).toEqual(['token', 'progress', 'token'])
})

test('progress that a retry repeats is reported once', () => {
  const step = makeStep()
  for (const message of ['reading', 'writing']) step.progress(message)
  step.crash()
  for (const message of ['reading', 'writing', 'checking']) step.progress(message)
  expect(step.events().map(({ data }) => data.message)).toEqual(['reading', 'writing', 'checking'])
})
