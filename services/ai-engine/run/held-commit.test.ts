import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { holdCommit } from './held-commit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const line = (seq: number) => ({ seq, line: `{"seq":${seq}}` })

function hold(commit = async () => {}) {
  const written: number[][] = []
  const failures: unknown[] = []
  const previous = holdCommit(
    (lines) => {
      written.push(lines.map(({ seq }) => seq))
      return commit()
    },
    (thrown) => failures.push(thrown),
  )
  return { previous, written, failures }
}

test('the first events are committed with the step before them, later ones are not', async () => {
  const { previous, written } = hold()
  expect(written).toEqual([])
  expect(await previous.commitWith([line(1)], [])).toBe(true)
  expect(await previous.commitWith([line(2)], [])).toBe(false)
  await previous.settled()
  expect(written).toEqual([[1]])
})

test('a step without events is committed when it ends, and only once', async () => {
  const { previous, written } = hold()
  await Promise.all([previous.settled(), previous.settled()])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(written).toEqual([[]])
})

test('a commit is not held while a model is silent', async () => {
  const { previous, written } = hold()
  await vi.advanceTimersByTimeAsync(20)
  expect(written).toEqual([[]])
  expect(await previous.commitWith([line(1)], [])).toBe(false)
})

test('events that come during the commit wait for it', async () => {
  const { promise, resolve: finish } = Promise.withResolvers<void>()
  const { previous, written } = hold(() => promise)
  const [first, second] = [previous.settled(), previous.commitWith([line(1)], [])]
  finish()
  await first
  expect(await second).toBe(false)
  expect(written).toEqual([[]])
})

test('a commit that fails stops the run and every write after it', async () => {
  const { previous, failures } = hold(() => Promise.reject(new Error('lost')))
  await vi.advanceTimersByTimeAsync(20)
  await expect(previous.commitWith([line(1)], [])).rejects.toThrow('lost')
  await expect(previous.settled()).rejects.toThrow('lost')
  expect(failures).toHaveLength(1)
})
