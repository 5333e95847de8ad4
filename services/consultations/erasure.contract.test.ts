import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ConsultationsStage,
  readUntil,
  sessionsPath,
  stageConsultations,
} from '../../tests/support/consultations.ts'
import { echo, end, gate, token } from '../../tests/support/scripted-engine.ts'
import { deleteOldEvents } from './turn/log/event-store.ts'

let at: ConsultationsStage
beforeAll(async () => {
  at = await stageConsultations()
})
afterAll(() => at.close())

const erase = (body: object, headers = {}) => at.post('/api/v1/internal/erasure', body, headers)
const as = (user: string) => ({ 'x-user-id': user })
async function talk(user: string) {
  const { data } = await at.post(sessionsPath, {}, as(user))
  await at.post(`${sessionsPath}/${data.id}/chat`, { content: 'hello' }, as(user))
  return (await at.call('GET', `${sessionsPath}/${data.id}`, { headers: as(user) })).data
}
const none = { sessions: 0, messages: 0, turns: 0, anonymized_messages: 0 }

test('erasing a person deletes their sessions once and anonymizes their messages elsewhere', async () => {
  const ownSession = await talk('gone')
  const other = await talk('stays')
  const lawyer = { 'x-user-id': 'gone', 'x-user-type': 'lawyer' }
  await at.post(`${sessionsPath}/${other.id}/chat`, { content: 'as a lawyer' }, lawyer)
  const counts = { sessions: 1, messages: 2, turns: 1, anonymized_messages: 1 }
  const dry = await erase({ user_id: 'gone', dry_run: true })
  expect(dry.data).toEqual({ erased: counts })
  expect((await erase({ user_id: 'gone' }, { 'x-organization-id': 'other' })).data).toEqual({
    erased: none,
  })
  expect((await erase({ user_id: 'gone' })).data).toEqual({ erased: counts })
  expect((await erase({ user_id: 'gone' })).data).toEqual({ erased: none })
  const read = (id: string, user: string) =>
    at.call('GET', `${sessionsPath}/${id}`, { headers: as(user) })
  expect((await read(ownSession.id, 'gone')).status).toBe(404)
  expect((await read(other.id, 'stays')).status).toBe(200)
  const rows = await at.sql`select author_id from consultations.messages where author_id = 'gone'`
  expect(rows).toEqual([])
  const events = await at.sql`
    select 1 from consultations.turn_events e join consultations.turns t on t.id = e.turn_id
    where t.session_id = ${ownSession.id}`
  expect(events).toEqual([])
})

test('erasing a matter deletes its sessions only', async () => {
  const one = await talk('u-3')
  const two = await talk('u-3')
  const { data } = await erase({ matter_id: one.matter_id })
  expect(data.erased).toMatchObject({ sessions: 1, messages: 2 })
  const { items } = (await at.call('GET', sessionsPath, { headers: as('u-3') })).data
  expect(items.map(({ id }: any) => id)).toEqual([two.id])
})

test('erasing during a turn ends its stream and stores nothing more', async () => {
  const { id } = await at.open()
  const paused = gate()
  at.engine.state.plan = async function* () {
    yield token('half')
    await paused.opened
    yield end('half')
  }
  const response = await at.raw('POST', `${sessionsPath}/${id}/chat`, { content: 'hello' })
  const reading = readUntil(response, 'never')
  await expect.poll(() => at.engine.runs[0]!.lines.length).toBe(1)
  await erase({ user_id: 'u-1' })
  paused.open()
  expect(await reading).not.toContain('event: end')
  expect(await at.sql`select 1 from consultations.messages where session_id = ${id}`).toEqual([])
  at.engine.state.plan = echo
})

test.each([[{}], [{ user_id: 'a', matter_id: 'b' }]])('%j is 400', async (body) => {
  expect((await erase(body)).status).toBe(400)
})

test('events of a turn are deleted after the retention period; its end stays', async () => {
  const { id } = await talk('u-4')
  await at.sql`
    insert into consultations.turn_events (turn_id, first, last, events)
    select id, 0, 0, 'event: progress\ndata: {}' from consultations.turns where session_id = ${id}`
  const count = async () =>
    (
      await at.sql`
        select count(*)::int as count from consultations.turn_events e
        join consultations.turns t on t.id = e.turn_id where t.session_id = ${id}`
    )[0]!.count
  await deleteOldEvents(at.sql, 30)
  const before = await count()
  await at.sql`
    update consultations.turns set ended_at = now() - interval '90 days' where session_id = ${id}`
  await deleteOldEvents(at.sql, 30)
  expect([before, await count()]).toEqual([2, 1])
})
