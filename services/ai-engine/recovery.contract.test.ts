import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EngineStage, parseNdjson, stageEngine, story } from '../../tests/support/engine.ts'

let at: EngineStage
beforeAll(async () => {
  at = await stageEngine()
})
afterAll(() => at.close())

let number = 0
/** A thread that has completed a turn. */
async function idleThread() {
  const session_id = `recovery-${++number}`
  const { data } = await at.post('/agent/execute', { session_id, message: '你好' })
  return { session_id, thread_id: data.thread_id as string, run_id: data.run_id as string }
}

/** Simulates that the process of the last run crashed in a step. The next claim is the last. */
const loseRun = async (thread_id: string) => {
  await at.sql`
    update ai_engine.threads set status = 'running', next = 'load_context', claims = 7,
      lease_until = now() - interval '1 hour' where thread_id = ${thread_id}`
  await at.sql`
    update ai_engine.runs set status = 'running', ended_at = null
    where run_id = (select run_id from ai_engine.threads where thread_id = ${thread_id})`
  await at.sql`
    delete from ai_engine.events where line like '{"event":"end"%' and run_id = (
      select run_id from ai_engine.threads where thread_id = ${thread_id})`
}

const damages: [string, (thread_id: string, run_id: string) => Promise<unknown>][] = [
  [
    'its checkpoints are gone',
    (thread_id) => at.sql`delete from ai_engine.checkpoints where thread_id = ${thread_id}`,
  ],
  [
    'its state is not an object',
    (thread_id) => at.sql`
      update ai_engine.checkpoints set snapshot = '"text"', delta = '[]' where thread_id = ${thread_id}`,
  ],
  [
    'an event is not JSON',
    (_, run_id) => at.sql`
      insert into ai_engine.events (run_id, seq, line) values (${run_id}, 900, 'not JSON')`,
  ],
  [
    'its next node is unknown',
    (thread_id) => at.sql`
      update ai_engine.threads set next = 'gone' where thread_id = ${thread_id}`,
  ],
  [
    'a checkpoint of the coming step exists',
    (thread_id, run_id) => at.sql`
      insert into ai_engine.checkpoints (thread_id, step, checkpoint_id, run_id, node, delta)
      select thread_id, head + 1, gen_random_uuid(), ${run_id}, 'x', '[]' from ai_engine.threads
      where thread_id = ${thread_id}`,
  ],
]

describe('a lost run', () => {
  test.each(damages)(
    'a lost run fails with a reason and its thread accepts the next turn if %s',
    async (_, damage) => {
      const { session_id, thread_id, run_id } = await idleThread()
      await loseRun(thread_id)
      await damage(thread_id, run_id)
      const status = async () => {
        await at.sql`
        update ai_engine.threads set lease_until = lease_until - interval '1 hour'
        where thread_id = ${thread_id} and lease_until < now()`
        await at.tick()
        const [thread] = await at.sql`
        select status from ai_engine.threads where thread_id = ${thread_id}`
        return thread!.status
      }
      await expect.poll(status, { timeout: 20_000, interval: 100 }).toBe('idle')
      const events = parseNdjson(
        (await at.get(`/agent/runs/${run_id}/stream?after=900`)).text ||
          (await at.get(`/agent/runs/${run_id}/stream`)).text,
      )
      expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'failed' } })
      const [round] = (await at.get(`/timeline?thread_id=${thread_id}`)).data.items
      expect(round).toMatchObject({ status: 'failed', error: { message: expect.any(String) } })
      const next = await at.post('/agent/execute', { session_id, message: '你好' })
      expect(next.data).toMatchObject({ status: 'completed' })
    },
    40_000,
  )

  test('attempts to recover a lost run back off', async () => {
    const { thread_id } = await idleThread()
    await loseRun(thread_id)
    await at.sql`
      update ai_engine.threads set claims = 4, lease_until = now() - interval '3 seconds'
      where thread_id = ${thread_id}`
    await at.tick()
    const [thread] = await at.sql`
      select claims from ai_engine.threads where thread_id = ${thread_id}`
    expect(thread!.claims).toBe(4)
  })
})

test('a running thread without a run, or a waiting one without a card, accepts the next turn', async () => {
  const running = await idleThread()
  await at.sql`
    update ai_engine.threads set status = 'running', run_id = gen_random_uuid(),
      lease_until = now() where thread_id = ${running.thread_id}`
  const { data: waiting } = await at.post('/agent/execute', {
    session_id: 'no-card',
    message: story,
  })
  await at.sql`delete from ai_engine.cards where thread_id = ${waiting.thread_id}`
  for (const session_id of [running.session_id, 'no-card']) {
    const { data } = await at.post('/agent/execute', { session_id, message: '你好', skill: 'chat' })
    expect(data.status).toBe('completed')
  }
})
