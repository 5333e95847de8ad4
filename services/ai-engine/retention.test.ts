import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { answersTo, type EngineStage, stageEngine, story } from '../../tests/support/engine.ts'
import { pruneRuns } from './store/retention.ts'

let at: EngineStage
beforeAll(async () => {
  at = await stageEngine()
})
afterAll(() => at.close())

const days = { events: 10, spans: 20, calls: 30, runs: 40 }
let thread = 0
let thread_id = ''
beforeEach(() => {
  thread_id = `retention:${++thread}`
})

/** A conversation of two runs; the second one ends it. */
async function converse() {
  const first = await at.post('/agent/execute', { thread_id, user_id: 7, message: story })
  const answer = { thread_id, user_response: answersTo(first.data.card) }
  const second = await at.post('/agent/resume', answer)
  expect(second.data.status).toBe('completed')
  return [first.data, second.data]
}
const setAge = (age: number) => at.sql`
  update ai_engine.runs set ended_at = now() - ${age} * interval '1 day'
  where thread_id = ${thread_id}`
const prune = () => pruneRuns(at.sql, days, new AbortController().signal)

async function countRows() {
  const [counts] = await at.sql`
    select (select count(*) from ai_engine.runs r where thread_id = ${thread_id})::int as runs,
      (select count(*) from ai_engine.events e join ai_engine.runs r using (run_id)
        where r.thread_id = ${thread_id})::int as events,
      (select count(*) from ai_engine.spans s join ai_engine.runs r using (trace_id)
        where r.thread_id = ${thread_id})::int as spans,
      (select count(*) from ai_engine.calls where thread_id = ${thread_id})::int as calls,
      (select count(*) from ai_engine.cards where thread_id = ${thread_id})::int as cards`
  return counts as Record<'runs' | 'events' | 'spans' | 'calls' | 'cards', number>
}

test.each([
  [9, []],
  [11, ['events']],
  [21, ['events', 'spans']],
  [31, ['events', 'spans', 'calls']],
] as const)('of runs that ended %i days ago only %j are deleted', async (age, deleted) => {
  await converse()
  const before = await countRows()
  await setAge(age)
  expect(await prune()).toBe(false)
  const expected = {
    ...before,
    // The last event of each run stays.
    ...((deleted as readonly string[]).includes('events') && { events: 2 }),
    ...((deleted as readonly string[]).includes('spans') && { spans: 0 }),
    ...((deleted as readonly string[]).includes('calls') && { calls: 0 }),
  }
  expect(await countRows()).toEqual(expected)
})

test('the stream of a run whose events were deleted still ends', async () => {
  const [first] = await converse()
  await setAge(11)
  await prune()
  const { text } = await at.get(`/agent/runs/${first.run_id}/stream`)
  expect(JSON.parse(text.trim())).toMatchObject({ event: 'end' })
})

test('an expired run is deleted with all its data, and the thread continues', async () => {
  await converse()
  await setAge(41)
  await prune()
  expect(await countRows()).toEqual({ runs: 0, events: 0, spans: 0, calls: 0, cards: 0 })
  const next = await at.post('/agent/execute', { thread_id, user_id: 7, message: '谢谢' })
  expect(next.data.status).toBe('completed')
})

test('a thread that waits on a card keeps all data of its runs', async () => {
  await at.post('/agent/execute', { thread_id, user_id: 7, message: story })
  const before = await countRows()
  await setAge(1_000)
  await prune()
  expect(await countRows()).toEqual(before)
  const pending = (await at.get(`/agent/pending_card?thread_id=${thread_id}`)).data
  expect(pending.has_pending_card).toBe(true)
})
