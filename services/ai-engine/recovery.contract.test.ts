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
    'its next node is missing',
    (thread_id) => at.sql`
      update ai_engine.threads set next = null where thread_id = ${thread_id}`,
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

  test('a lost run that progresses in its last attempt and fails later is tried again', async () => {
    // A sequence keeps its value when the statement is rolled back.
    await at.sql.statement('create sequence refusals')
    await at.sql.statement('create table refused (node text)')
    await at.sql.statement(`
      create function refuse() returns trigger language plpgsql as $$ begin
        if new.node = (select node from refused) then
          perform nextval('refusals');
          raise exception 'refused';
        end if;
        return new;
      end $$`)
    await at.sql.statement(`
      create trigger refuse before insert on ai_engine.checkpoints
        for each row execute function refuse()`)
    const refusals = async () => (await at.sql`select last_value, is_called from refusals`)[0]!
    await at.sql`insert into refused values ('load_context')`
    const thread_id = 'consultation:progress'
    const answer = at.post('/agent/execute', { session_id: 'progress', message: '你好' })
    await expect.poll(refusals).toEqual({ last_value: 1, is_called: true })

    const loseLease = (claims: number) => at.sql`
      update ai_engine.threads set claims = ${claims}, lease_until = now() - interval '1 hour'
      where thread_id = ${thread_id} and status = 'running'`
    await at.sql`update refused set node = 'chat_respond'`
    await loseLease(7)
    await at.tick()
    await expect.poll(refusals).toEqual({ last_value: 2, is_called: true })

    await at.sql.statement('drop trigger refuse on ai_engine.checkpoints')
    const status = async () => {
      await loseLease(0)
      await at.tick()
      const [thread] = await at.sql`
        select status from ai_engine.threads where thread_id = ${thread_id}`
      return thread!.status
    }
    await expect.poll(status, { interval: 500 }).toBe('idle')
    expect((await answer).data).toMatchObject({ status: 'completed' })
  })

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

describe('a card that cannot be read', () => {
  const waitingThread = async () => {
    const session_id = `recovery-${++number}`
    const { data } = await at.post('/agent/execute', { session_id, message: story })
    expect(data.status).toBe('interrupted')
    return { session_id, thread_id: data.thread_id as string, card_id: data.card.card_id as string }
  }
  const damage = (card_id: string) => at.sql`
    update ai_engine.cards set card = '{}' where card_id = ${card_id}`

  test('does not keep its thread from the next turn', async () => {
    const { session_id, thread_id, card_id } = await waitingThread()
    await damage(card_id)
    const pending = await at.get(`/agent/pending_card?thread_id=${thread_id}`)
    expect(pending.data).toEqual({ has_pending_card: false, card: null })
    const next = await at.post('/agent/execute', { session_id, message: '你好' })
    expect(next.status).toBe(200)
  })

  test('does not keep other cards from expiring', async () => {
    const [damaged, other] = [await waitingThread(), await waitingThread()]
    await damage(damaged.card_id)
    await at.sql`
      update ai_engine.cards set on_expiry = 'fail', expires_at = now() - case
        when card_id = ${damaged.card_id} then interval '2 hours' else interval '1 hour' end
      where card_id in (${damaged.card_id}, ${other.card_id})`
    const rounds = async () => {
      await at.tick()
      return (await at.get(`/timeline?thread_id=${other.thread_id}`)).data.items
    }
    await expect
      .poll(async () => (await rounds())[0])
      .toMatchObject({ round: 2, status: 'failed', error: { code: 'CARD_EXPIRED' } })
  })
})
