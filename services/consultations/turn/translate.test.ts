import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readLines } from './read-lines.ts'
import { formatEvent, formatFrame, makeTranslator, type TurnEvent } from './translate.ts'

interface Event {
  event: string
  data: Record<string, unknown>
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const json = fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' })
const data = fc.dictionary(fc.constantFrom('a', 'b', 'playbook_config', 'nested'), json)
const node = fc.constantFrom('chat_respond', 'router', 'run_skill', 'intake_collection')
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ node, content: text }).map(named('token')) },
  data.map(named('progress')),
  data.map(named('task_start')),
  data.map(named('task_end')),
  data.map(named('card')),
  data.map(named('result')),
  fc.record({ code: text, message: text }).map(named('error')),
  data.map(named('something_new')),
)
/** What an engine may send: any of these, numbered, and `end` as the last. */
const run = fc
  .tuple(fc.array(event, { maxLength: 20 }), text, fc.constantFrom('completed', 'interrupted'))
  .map(([events, output, status]) =>
    [...events, { event: 'end', data: { output, status } }].map(
      ({ event, data }, index): Event => ({ event, data: { ...data, seq: index + 1 } }),
    ),
  )

function named(event: string) {
  return (data: Record<string, unknown>): Event => ({ event, data })
}

/** By the table of what readers are shown, said another way. */
const wanted = (events: Event[]): string[] => {
  const shown = events.flatMap(({ event, data }) => {
    const { seq: _, ...told } = data
    if (event === 'token') {
      return told.node === 'chat_respond' && told.content !== ''
        ? [formatEvent('delta', { content: told.content })]
        : []
    }
    const passed = ['progress', 'task_start', 'task_end', 'card', 'result', 'error']
    return passed.includes(event) ? [formatEvent(event, JSON.parse(cleaned(told)))] : []
  })
  return shown.map((line, index) => formatFrame('t', { n: index + 1, line }))
}
const cleaned = (value: unknown) =>
  JSON.stringify(value, (key, member) => (key === 'playbook_config' ? undefined : member))

/** The bytes of these events in pieces that end anywhere. */
function pieces(events: Event[], cuts: number[]): ReadableStream<Uint8Array> {
  const whole = events.map((each) => `${JSON.stringify(each)}\n`).join('')
  const bytes = new TextEncoder().encode(whole)
  const at = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b)
  const bounds = [0, ...at, bytes.length]
  const chunks = bounds.slice(1).map((end, index) => bytes.slice(bounds[index], end))
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift()
      if (chunk) controller.enqueue(chunk)
      else controller.close()
    },
  })
}

/** Reads a body to its end or until it has seen enough bytes of it. */
async function taken(translator: ReturnType<typeof makeTranslator>, body: ReadableStream) {
  const lines: TurnEvent[] = []
  for await (const texts of readLines(body, 10_000)) {
    const made = translator.translate(texts)
    lines.push(...made.lines)
    if (made.end) return { lines, end: made.end }
  }
  return { lines }
}

const cuts = fc.array(fc.nat({ max: 5_000 }), { maxLength: 40 })

describe('the engine’s lines', () => {
  test('make the same events however their bytes are cut', () =>
    fc.assert(
      fc.asyncProperty(run, cuts, async (events, cuts) => {
        const { lines, end } = await taken(
          makeTranslator({ n: 0, engine_seq: 0 }),
          pieces(events, cuts),
        )
        expect(lines.map((line) => formatFrame('t', line))).toEqual(wanted(events))
        const { output, status } = events.at(-1)!.data
        expect(end).toEqual({ output, status })
      }),
      { numRuns: 500 },
    ))

  test('make the same events when the stream breaks off anywhere and another goes on', () =>
    fc.assert(
      fc.asyncProperty(
        run,
        cuts,
        fc.array(fc.nat({ max: 3_000 })),
        async (events, cuts, breaks) => {
          const lines: TurnEvent[] = []
          let at = { n: 0, engine_seq: 0 }
          for (const length of [...breaks, Number.POSITIVE_INFINITY]) {
            // Whoever goes on knows the two numbers, and may be sent what was taken before.
            const translator = makeTranslator(at)
            const left = events.slice(Math.max(0, at.engine_seq - 1))
            const made = await taken(translator, pieces(left, cuts).pipeThrough(only(length)))
            lines.push(...made.lines)
            at = translator.position
            if (made.end) break
          }
          expect(lines.map((line) => formatFrame('t', line))).toEqual(wanted(events))
        },
      ),
      { numRuns: 300 },
    ))

  test('say nothing after their end, and nothing of what is not JSON', async () => {
    const translator = makeTranslator({ n: 0, engine_seq: 0 })
    const ending = JSON.stringify({ event: 'end', data: { output: 'x', seq: 1 } })
    const late = JSON.stringify({ event: 'progress', data: { seq: 2 } })
    expect(translator.translate([ending, late])).toEqual({
      lines: [],
      end: { output: 'x', status: 'completed' },
    })
    expect(() => makeTranslator({ n: 0, engine_seq: 0 }).translate(['{"event":'])).toThrow()
  })

  test('are given up when they fall silent', async () => {
    const silent = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) })
    const lines = readLines(silent, 20)
    expect(await lines.next()).toEqual({ done: true, value: undefined })
  })
})

/** So many bytes, and then the connection is gone. */
function only(bytes: number) {
  let left = bytes
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.slice(0, left))
      left -= chunk.length
      if (left <= 0) controller.terminate()
    },
  })
}
