import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatEvent, formatFrame, type TurnEvent } from './event.ts'
import { readLines } from './read-lines.ts'
import { makeTranslator } from './translate.ts'

interface EngineEvent {
  event: string
  data: Record<string, unknown>
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const json = fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' })
const data = fc.dictionary(fc.constantFrom('a', 'b', 'playbook_config', 'nested'), json)
const node = fc.constantFrom('chat_respond', 'router', 'run_skill', 'intake_collection')
const event: fc.Arbitrary<EngineEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ node, content: text }).map(makeEvent('token')) },
  data.map(makeEvent('progress')),
  data.map(makeEvent('task_start')),
  data.map(makeEvent('task_end')),
  data.map(makeEvent('card')),
  data.map(makeEvent('result')),
  fc.record({ code: text, message: text }).map(makeEvent('error')),
  data.map(makeEvent('something_new')),
)
/** A run of the engine: numbered events, `end` as the last. */
const run = fc
  .tuple(fc.array(event, { maxLength: 20 }), text, fc.constantFrom('completed', 'interrupted'))
  .map(([events, output, status]) =>
    [...events, { event: 'end', data: { output, status } }].map(
      ({ event, data }, index): EngineEvent => ({ event, data: { ...data, seq: index + 1 } }),
    ),
  )

function makeEvent(event: string) {
  return (data: Record<string, unknown>): EngineEvent => ({ event, data })
}

/** Second implementation of the translation, as the reference. */
const expectedFrames = (events: EngineEvent[]): string[] => {
  const texts = events.flatMap(({ event, data }) => {
    const { seq: _, ...payload } = data
    if (event === 'token') {
      return payload.node === 'chat_respond' && payload.content !== ''
        ? [formatEvent('delta', { content: payload.content })]
        : []
    }
    const publicEvents = ['progress', 'task_start', 'task_end', 'card', 'result', 'error']
    return publicEvents.includes(event)
      ? [formatEvent(event, JSON.parse(stringifyWithoutPlaybook(payload)))]
      : []
  })
  return texts.map((text, index) => formatFrame('t', { number: index + 1, text }))
}
const stringifyWithoutPlaybook = (value: unknown) =>
  JSON.stringify(value, (key, member) => (key === 'playbook_config' ? undefined : member))

/** The events as NDJSON, cut at arbitrary bytes. */
function chunkedBody(events: EngineEvent[], cuts: number[]): ReadableStream<Uint8Array> {
  const text = events.map((each) => `${JSON.stringify(each)}\n`).join('')
  const bytes = new TextEncoder().encode(text)
  const positions = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b)
  const bounds = [0, ...positions, bytes.length]
  const chunks = bounds.slice(1).map((end, index) => bytes.slice(bounds[index], end))
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift()
      if (chunk) controller.enqueue(chunk)
      else controller.close()
    },
  })
}

async function translateBody(translator: ReturnType<typeof makeTranslator>, body: ReadableStream) {
  const translated: TurnEvent[] = []
  for await (const lines of readLines(body, 10_000)) {
    const { events, end } = translator.translate(lines)
    translated.push(...events)
    if (end) return { translated, end }
  }
  return { translated }
}

const cuts = fc.array(fc.nat({ max: 5_000 }), { maxLength: 40 })

describe('translation of engine events', () => {
  test('bytes cut anywhere give the same events', () =>
    fc.assert(
      fc.asyncProperty(run, cuts, async (events, cuts) => {
        const { translated, end } = await translateBody(
          makeTranslator({ eventNo: 0, engineSeq: 0 }),
          chunkedBody(events, cuts),
        )
        expect(translated.map((event) => formatFrame('t', event))).toEqual(expectedFrames(events))
        const { output, status } = events.at(-1)!.data
        expect(end).toEqual({ output, status })
      }),
      { numRuns: 500 },
    ))

  test('a stream that breaks anywhere and is resumed gives the same events', () =>
    fc.assert(
      fc.asyncProperty(
        run,
        cuts,
        fc.array(fc.nat({ max: 3_000 })),
        async (events, cuts, breaks) => {
          const translated: TurnEvent[] = []
          let position = { eventNo: 0, engineSeq: 0 }
          for (const length of [...breaks, Number.POSITIVE_INFINITY]) {
            // The next translator knows the position only and may receive the last event again.
            const translator = makeTranslator(position)
            const left = events.slice(Math.max(0, position.engineSeq - 1))
            const translation = await translateBody(
              translator,
              chunkedBody(left, cuts).pipeThrough(firstBytes(length)),
            )
            translated.push(...translation.translated)
            position = translator.position
            if (translation.end) break
          }
          expect(translated.map((event) => formatFrame('t', event))).toEqual(expectedFrames(events))
        },
      ),
      { numRuns: 300 },
    ))

  test('lines after the end are ignored and invalid JSON throws', async () => {
    const translator = makeTranslator({ eventNo: 0, engineSeq: 0 })
    const ending = JSON.stringify({ event: 'end', data: { output: 'x', seq: 1 } })
    const late = JSON.stringify({ event: 'progress', data: { seq: 2 } })
    expect(translator.translate([ending, late])).toEqual({
      events: [],
      end: { output: 'x', status: 'completed' },
    })
    expect(() => makeTranslator({ eventNo: 0, engineSeq: 0 }).translate(['{"event":'])).toThrow()
  })

  test('reading ends after the idle timeout', async () => {
    const silent = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) })
    const lines = readLines(silent, 20)
    expect(await lines.next()).toEqual({ done: true, value: undefined })
  })
})

/** Passes the first bytes and ends. */
function firstBytes(bytes: number) {
  let left = bytes
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.slice(0, left))
      left -= chunk.length
      if (left <= 0) controller.terminate()
    },
  })
}
