import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type ConsultationsStage,
  parseEvents,
  readUntil,
  sessionsPath,
  stageConsultations,
} from '../../tests/support/consultations.ts'
import { askCardFirst, echo, end, gate, token } from '../../tests/support/scripted-engine.ts'

let at: ConsultationsStage
beforeAll(async () => {
  at = await stageConsultations({ env: { TURN_PATIENCE_MS: '300', TURN_HEARTBEAT_MS: '150' } })
})
afterAll(() => at.close())
beforeEach(() => {
  Object.assign(at.engine.state, { plan: echo, down: false })
})

const resumeStream = (id: string, last?: string) =>
  at.call('GET', `${sessionsPath}/${id}/stream`, { headers: { 'last-event-id': last } })

/** A chat whose reply pauses after two events until `proceed`. */
async function pausedChat() {
  const { id } = await at.open()
  const paused = gate()
  at.engine.state.plan = async function* () {
    yield token('one ')
    yield token('two ')
    await paused.opened
    yield token('three')
    yield end('one two three')
  }
  const body = { content: 'count', client_message_id: 'c' }
  const response = await at.raw('POST', `${sessionsPath}/${id}/chat`, body)
  return { id, body, response, proceed: paused.open }
}
const deltaText = (text: string) =>
  parseEvents(text)
    .filter(({ event }) => event === 'delta')
    .map(({ data }) => data.content)
    .join('')

describe('the event stream of a turn', () => {
  test('resuming after any event gives the rest without gap or repetition', async () => {
    const { id } = await at.open()
    const { text } = await at.chat(id, 'hello')
    const events = parseEvents(text)
    for (const [index, { id: last }] of events.entries()) {
      const rest = await resumeStream(id, last)
      expect(parseEvents(rest.text)).toEqual(events.slice(index + 1))
      expect(rest.status).toBe(index < events.length - 1 ? 200 : 204)
    }
    expect((await resumeStream(id)).status).toBe(204)
    at.engine.state.plan = askCardFirst
    const next = await at.chat(id, 'and then')
    expect((await resumeStream(id, events.at(-1)!.id)).text).toBe(next.text)
  })

  test('late subscribers get every event, and the turn ends without any subscriber', async () => {
    const { id, response, proceed } = await pausedChat()
    const seen = await readUntil(response, 'two ')
    const late = await at.raw('GET', `${sessionsPath}/${id}/stream`)
    const other = await at.raw('GET', `${sessionsPath}/${id}/stream`, undefined, {
      'last-event-id': parseEvents(seen)[0]!.id,
    })
    proceed()
    const allEvents = parseEvents(await late.text())
    expect(allEvents.map(({ event }) => event)).toEqual(['delta', 'delta', 'delta', 'end'])
    expect(parseEvents(await other.text())).toEqual(allEvents.slice(1))
    const countMessages = async () => {
      // On workerd a tick continues a turn without subscribers.
      await at.tick()
      return (await at.messages(id)).length
    }
    await expect.poll(countMessages, { timeout: 20_000 }).toBe(2)
  })

  test('a comment line is sent after silence', async () => {
    const { response, proceed } = await pausedChat()
    const seen = await readUntil(response, ': still here\n\n', false)
    proceed()
    expect(deltaText(seen)).toBe('one two ')
  })

  test('an event id of another session or organization is 404', async () => {
    const { id } = await at.open()
    const other = await at.open()
    const [first] = parseEvents((await at.chat(other.id, 'hello')).text)
    expect((await resumeStream(id, first!.id)).status).toBe(404)
    expect((await resumeStream(id, 'nonsense')).status).toBe(404)
    const otherOrganization = { 'x-organization-id': 'other' }
    expect(
      (await at.call('GET', `${sessionsPath}/${id}/stream`, { headers: otherOrganization })).status,
    ).toBe(404)
  })
})

describe('a broken engine stream', () => {
  test('is resumed after the last event without an error', async () => {
    const { id, response, proceed } = await pausedChat()
    const text = readUntil(response, 'event: end')
    await expect.poll(() => at.engine.runs[0]!.lines.length).toBe(2)
    at.engine.closeStreams()
    proceed()
    expect(deltaText(await text)).toBe('one two three')
    expect(await at.messages(id)).toHaveLength(2)
  })

  test('of an engine that stays unavailable ends with an error; the next request resumes the turn', async () => {
    const { id, body, response, proceed } = await pausedChat()
    const text = readUntil(response, 'event: end')
    await expect.poll(() => at.engine.runs[0]!.lines.length).toBe(2)
    at.engine.state.down = true
    at.engine.closeStreams()
    const events = parseEvents(await text)
    expect(events.map(({ event }) => event)).toEqual(['delta', 'delta', 'error', 'end'])
    expect(events[2]!.data.code).toBe('ENGINE_UNAVAILABLE')
    const { message_id } = events[3]!.data
    expect(await at.messages(id)).toHaveLength(1)
    expect((await at.chat(id, 'hello?')).status).toBe(503)
    const missed = parseEvents((await resumeStream(id, events[0]!.id)).text)
    expect(missed).toEqual(events.slice(1))
    expect((await resumeStream(id, events[3]!.id)).status).toBe(503)

    at.engine.state.down = false
    proceed()
    await expect.poll(async () => (await at.chat(id, 'next')).status, { timeout: 15_000 }).toBe(200)
    const [, first] = await at.messages(id)
    expect(first).toMatchObject({ id: message_id, content: 'one two three' })
    const rest = await resumeStream(id, events.at(-1)!.id)
    expect(deltaText(rest.text)).toBe('three')
    expect(deltaText((await at.post(`${sessionsPath}/${id}/chat`, body)).text)).toBe(
      'one two three',
    )
  })

  test('of a run that the engine lost fails the turn', async () => {
    const { id, response } = await pausedChat()
    const text = readUntil(response, 'event: end')
    await expect.poll(() => at.engine.runs[0]!.lines.length).toBe(2)
    at.engine.runs.length = 0
    at.engine.closeStreams()
    const events = parseEvents(await text)
    expect(events.at(-2)).toMatchObject({ event: 'error', data: { code: 'RUN_LOST' } })
    const [, assistant] = await at.messages(id)
    expect(assistant).toMatchObject({ content: 'one two ', metadata: { error: {} } })
    at.engine.state.plan = echo
    expect((await at.chat(id, 'again')).status).toBe(200)
  })
})

describe('a relay that crashes', () => {
  /** Simulates a relay in another process that crashed. */
  const orphan = (id: string) => at.sql`
    update consultations.turns set token = token + 1, lease_until = now() - interval '1 s',
      relay_id = null
    where session_id = ${id}`

  test('is replaced by another, and subscribers continue', async () => {
    const { id, response, proceed } = await pausedChat()
    // On workerd nothing more is committed after the client has left.
    const seen = await readUntil(response, 'two ', false)
    await expect
      .poll(
        async () =>
          (await at.sql`select last_event_no from consultations.turns where session_id = ${id}`)[0],
      )
      .toEqual({ last_event_no: 2 })
    await orphan(id)
    const reading = at.raw('GET', `${sessionsPath}/${id}/stream`, undefined, {
      'last-event-id': parseEvents(seen)[1]!.id,
    })
    proceed()
    await at.tick()
    expect(deltaText(await (await reading).text())).toBe('three')
    const [, assistant] = await at.messages(id)
    expect(assistant.content).toBe('one two three')
    expect(await at.messages(id)).toHaveLength(2)
  })

  test('before the run was recorded causes no second run', async () => {
    const { id } = await at.open()
    const { text } = await at.chat(id, 'hello', { client_message_id: 'c' })
    await at.sql`
      delete from consultations.turn_events where turn_id in (
        select id from consultations.turns where session_id = ${id})`
    await at.sql`delete from consultations.messages where session_id = ${id} and seq = 2`
    await at.sql`
      update consultations.turns set status = 'RUNNING', run_id = null, engine_seq = 0,
        last_event_no = 0
      where session_id = ${id}`
    await at.sql`
      update consultations.sessions set turn_id =
        (select id from consultations.turns where session_id = ${id}) where id = ${id}`
    await orphan(id)
    await at.tick()
    const again = await at.chat(id, 'hello', { client_message_id: 'c' })
    expect(again.text).toBe(text)
    expect(at.engine.runs.filter(({ thread_id }) => thread_id.endsWith(id))).toHaveLength(1)
  })
})
