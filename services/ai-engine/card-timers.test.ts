import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EngineStage, stageEngine } from '../../tests/support/engine.ts'
import { makeSkillFolder } from '../../tests/support/skill-folder.ts'

const { directory, skill, remove } = makeSkillFolder()
afterAll(remove)

const asking = (name: string, more: string) => `async run({ answered, state }) {
    if (answered) return { output: { note: 'heard ' + state.more } }
    return { output: { note: 'asked' }, control: { action: 'ask_user', title: 'More?', ${more} questions: [
      { question: 'More?', field_key: '${name}.more', input_type: 'text', required: true }] } }
  }`
skill('reminding', asking('reminding', 'remind_after_seconds: [7200, 3600],'))
skill('expiring', asking('expiring', 'expires_in_seconds: 3600,'))
skill('assigned', asking('assigned', `assignee: 'lawyer-1',`))

let at: EngineStage
beforeAll(async () => {
  at = await stageEngine({ env: { SKILLS_DIR: directory } })
})
afterAll(() => at.close())

let sessions = 0
/** Runs a skill of a new session until its card is pending. */
async function askCard(name: string) {
  const session_id = `s-${++sessions}`
  const body = { message: 'go', user_id: 1, session_id, skill: name, skill_only: true }
  const { data } = await at.post('/agent/execute', body)
  expect(data.status).toBe('interrupted')
  return { session_id, thread_id: data.thread_id, card: data.card }
}
const listNotices = async (session_id: string) =>
  (await at.get('/agent/notices?limit=200')).data.items.filter(
    (notice: any) => notice.session_id === session_id,
  )
const tickTwice = () => Promise.all([at.tick(), at.tick()])

describe('reminders of a card', () => {
  const passReminder = (card_id: string) => at.sql`
    update ai_engine.cards set remind_at = now() - interval '1 second' where card_id = ${card_id}`

  test('a due reminder gives one notice, also with two processes, and the next one is scheduled', async () => {
    const { session_id, card } = await askCard('reminding')
    expect(card.reminders).toHaveLength(2)
    expect(Date.parse(card.reminders[1]) - Date.parse(card.reminders[0])).toBe(3_600_000)
    await tickTwice()
    expect(await listNotices(session_id)).toEqual([])
    await passReminder(card.card_id)
    await tickTwice()
    expect(await listNotices(session_id)).toMatchObject([
      { kind: 'card_reminder', card_id: card.card_id, run_id: null },
    ])
    const [row] = await at.sql`
      select remind_at from ai_engine.cards where card_id = ${card.card_id}`
    expect(Date.parse(String(row!.remind_at))).toBe(Date.parse(card.reminders[0]))
  })

  test('an acknowledged notice is not listed again, and other tenants cannot acknowledge it', async () => {
    const { session_id, card } = await askCard('reminding')
    await passReminder(card.card_id)
    await at.tick()
    const [{ notice_id }] = await listNotices(session_id)
    const acknowledge = (headers = {}) =>
      at.post('/agent/notices/acknowledge', { notice_ids: [notice_id] }, headers)
    const other = await acknowledge({ 'x-organization-id': 'other' })
    expect(other.data.acknowledged).toBe(0)
    expect((await acknowledge()).data.acknowledged).toBe(1)
    expect(await listNotices(session_id)).toEqual([])
  })

  test('an answered card gets no reminder', async () => {
    const { session_id, thread_id, card } = await askCard('reminding')
    const answers = [{ field_key: 'reminding.more', value: 'x' }]
    await at.post('/agent/resume', { thread_id, user_response: { answers } })
    await passReminder(card.card_id)
    await at.tick()
    expect(await listNotices(session_id)).toEqual([])
  })
})

test('a card that expires gives one notice of the run that it started', async () => {
  const { session_id, card } = await askCard('expiring')
  await at.sql`
    update ai_engine.cards set expires_at = now() - interval '1 second'
    where card_id = ${card.card_id}`
  await tickTwice()
  const [run] = await at.sql`
    select run_id from ai_engine.runs where session_id = ${session_id} and kind = 'resume'`
  expect(await listNotices(session_id)).toMatchObject([
    { kind: 'run_started', card_id: card.card_id, run_id: run!.run_id },
  ])
})

describe('a card that is assigned', () => {
  const resume = (thread_id: string, user_id: string, headers = {}) =>
    at.post(
      '/agent/resume',
      {
        thread_id,
        user_id,
        user_response: { answers: [{ field_key: 'assigned.more', value: 'x' }] },
      },
      headers,
    )

  test('another user is refused and the card stays pending; the assignee answers', async () => {
    const { thread_id, card } = await askCard('assigned')
    const refused = await resume(thread_id, 'client-1', { 'x-user-type': 'client' })
    expect(refused).toMatchObject({ status: 403, code: 'CARD_ASSIGNED' })
    expect(await resume(thread_id, 'client-1')).toMatchObject({ status: 403 })
    const pending = (await at.get(`/agent/pending_card?thread_id=${thread_id}`)).data
    expect(pending.card.card_id).toBe(card.card_id)
    expect((await resume(thread_id, 'lawyer-1')).data.status).toBe('completed')
  })

  test('a user who manages the matter answers in place of the assignee', async () => {
    const { thread_id } = await askCard('assigned')
    const answered = await resume(thread_id, 'lawyer-2', { 'x-user-type': 'lawyer' })
    expect(answered.data.status).toBe('completed')
  })
})

test('files of a resume reach the state once', async () => {
  const { thread_id } = await askCard('expiring')
  const answers = [{ field_key: 'expiring.more', value: 'x' }]
  await at.post('/agent/resume', {
    thread_id,
    user_response: { answers },
    file_ids: ['f-1', 'f-2', 'f-1'],
  })
  const { state } = (await at.get(`/agent/threads/${thread_id}/state`)).data
  expect(state.file_ids).toEqual(['f-1', 'f-2'])
})

describe('stopping a thread that waits on a card', () => {
  test('a stop leaves the card pending; a cancellation withdraws it', async () => {
    const { thread_id, card } = await askCard('expiring')
    const stopped = await at.post('/agent/cancel', { thread_id, reason: 'stopped' })
    expect(stopped.data.cancelled).toBe(false)
    const pending = async () =>
      (await at.get(`/agent/pending_card?thread_id=${thread_id}`)).data.card?.card_id
    expect(await pending()).toBe(card.card_id)
    expect((await at.post('/agent/cancel', { thread_id })).data.cancelled).toBe(true)
    expect(await pending()).toBeUndefined()
  })
})
