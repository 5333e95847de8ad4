import { afterEach, expect, test, vi } from 'vitest'
import { readEvents } from './event-stream.ts'

afterEach(() => vi.restoreAllMocks())

const stream = (...chunks: string[]) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
const frame = (n: number) => `id: t:${n}\nevent: delta\ndata: {"content":"${n}"}\n\n`

test('events split anywhere are read once, and comments are left out', async () => {
  const text = [frame(1), ': still here\n\n', frame(2), frame(3)].join('')
  for (let at = 0; at < text.length; at++) {
    const ids: string[] = []
    for await (const { id } of readEvents(stream(text.slice(0, at), text.slice(at)))) ids.push(id)
    expect(ids).toEqual(['t:1', 't:2', 't:3'])
  }
})

test('other tasks run while many events of one chunk are parsed', async () => {
  // Every look at the clock takes a millisecond.
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now++)
  const text = Array.from({ length: 200 }, (_, n) => frame(n + 1)).join('')
  let tasks = 0
  const count = () => {
    tasks++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  let events = 0
  for await (const _ of readEvents(stream(text))) events++
  clearImmediate(timer)
  expect(events).toBe(200)
  expect(tasks).toBeGreaterThan(10)
})
