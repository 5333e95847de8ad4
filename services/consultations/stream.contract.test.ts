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

const readOn = (id: string, last?: string) =>
  at.call('GET', `${sessionsPath}/${id}/stream`, { headers: { 'last-event-id': last } })

/** A chat whose answer stops half way until it is let go on. */
async function halfWay() {
  const { id } = await at.open()
  const held = gate()
  at.engine.state.plan = async function* () {
    yield token('one ')
    yield token('two ')
    await held.opened
    yield token('three')
    yield end('one two three')
  }
  const body = { content: 'count', client_message_id: 'c' }
  const response = await at.raw('POST', `${sessionsPath}/${id}/chat`, body)
  return { id, body, response, letGo: held.open }
}
const words = (text: string) =>
  parseEvents(text)
    .filter(({ event }) => event === 'delta')
    .map(({ data }) => data.content)
    .join('')

describe('a stream', () => {
  test('is continued after any of its events, without gap or repetition', async () => {
    const { id } = await at.open()
    const { text } = await at.chat(id, 'hello')
    const shown = parseEvents(text)
    for (const [index, { id: last }] of shown.entries()) {
      const rest = await readOn(id, last)
      expect(parseEvents(rest.text)).toEqual(shown.slice(index + 1))
      expect(rest.status).toBe(index < shown.length - 1 ? 200 : 204)
    }
    expect((await readOn(id)).status).toBe(204)
    at.engine.state.plan = askCardFirst
    const next = await at.chat(id, 'and then')
    expect((await readOn(id, shown.at(-1)!.id)).text).toBe(next.text)
  })

  test('goes on for those who come later, and for nobody at all', async () => {
    const { id, response, letGo } = await halfWay()
    const seen = await readUntil(response, 'two ')
    const late = await at.raw('GET', `${sessionsPath}/${id}/stream`)
    const other = await at.raw('GET', `${sessionsPath}/${id}/stream`, undefined, {
      'last-event-id': parseEvents(seen)[0]!.id,
    })
    letGo()
    const whole = parseEvents(await late.text())
    expect(whole.map(({ event }) => event)).toEqual(['delta', 'delta', 'delta', 'end'])
    expect(parseEvents(await other.text())).toEqual(whole.slice(1))
    const stored = async () => {
      // On the edge what nobody reads is carried on by a tick.
      await at.tick()
      return (await at.messages(id)).length
    }
    await expect.poll(stored, { timeout: 20_000 }).toBe(2)
  })

  test('has a comment line in silence', async () => {
    const { response, letGo } = await halfWay()
    const seen = await readUntil(response, ': still here\n\n', false)
    letGo()
    expect(words(seen)).toBe('one two ')
  })

  test('knows no events but those of its session', async () => {
    const { id } = await at.open()
    const other = await at.open()
    const [first] = parseEvents((await at.chat(other.id, 'hello')).text)
    expect((await readOn(id, first!.id)).status).toBe(404)
    expect((await readOn(id, 'nonsense')).status).toBe(404)
    const theirs = { 'x-organization-id': 'other' }
    expect((await at.call('GET', `${sessionsPath}/${id}/stream`, { headers: theirs })).status).toBe(
      404,
    )
  })
})

describe('when the engine’s stream breaks off', () => {
  test('it is taken up where it was, and nobody notices', async () => {
    const { id, response, letGo } = await halfWay()
    const text = readUntil(response, 'event: end')
    await expect.poll(() => at.engine.runs[0]!.lines.length).toBe(2)
    at.engine.closeStreams()
    letGo()
    expect(words(await text)).toBe('one two three')
    expect(await at.messages(id)).toHaveLength(2)
  })

  test('and stays away, it ends with an error, and the turn is picked up by the next request', async () => {
    const { id, body, response, letGo } = await halfWay()
    const text = readUntil(response, 'event: end')
    await expect.poll(() => at.engine.runs[0]!.lines.length).toBe(2)
    at.engine.state.down = true
    at.engine.closeStreams()
    const shown = parseEvents(await text)
    expect(shown.map(({ event }) => event)).toEqual(['delta', 'delta', 'error', 'end'])
    expect(shown[2]!.data.code).toBe('ENGINE_UNAVAILABLE')
    const { message_id } = shown[3]!.data
    expect(await at.messages(id)).toHaveLength(1)
    expect((await at.chat(id, 'hello?')).status).toBe(503)

    at.engine.state.down = false
    letGo()
    await expect.poll(async () => (await at.chat(id, 'next')).status, { timeout: 15_000 }).toBe(200)
    const [, first] = await at.messages(id)
    expect(first).toMatchObject({ id: message_id, content: 'one two three' })
    const rest = await readOn(id, shown.at(-1)!.id)
    expect(words(rest.text)).toBe('three')
    expect(words((await at.post(`${sessionsPath}/${id}/chat`, body)).text)).toBe('one two three')
  })

  test('because the engine lost the run, the turn fails for good', async () => {
    const { id, response } = await halfWay()
    const text = readUntil(response, 'event: end')
    await expect.poll(() => at.engine.runs[0]!.lines.length).toBe(2)
    at.engine.runs.length = 0
    at.engine.closeStreams()
    const shown = parseEvents(await text)
    expect(shown.at(-2)).toMatchObject({ event: 'error', data: { code: 'RUN_LOST' } })
    const [, assistant] = await at.messages(id)
    expect(assistant).toMatchObject({ content: 'one two ', metadata: { error: {} } })
    at.engine.state.plan = echo
    expect((await at.chat(id, 'again')).status).toBe(200)
  })
})

describe('when the process that relays a turn dies', () => {
  /** As if another had it, and died. */
  const orphan = (id: string) => at.sql`
    update consultations.turns set token = token + 1, lease_until = now() - interval '1 s'
    where session_id = ${id}`

  test('another takes it over, and readers read on', async () => {
    const { id, response, letGo } = await halfWay()
    // On the edge nothing more is written once its reader has left.
    const seen = await readUntil(response, 'two ', false)
    await expect
      .poll(
        async () => (await at.sql`select n from consultations.turns where session_id = ${id}`)[0],
      )
      .toEqual({ n: 2 })
    await orphan(id)
    const reading = at.raw('GET', `${sessionsPath}/${id}/stream`, undefined, {
      'last-event-id': parseEvents(seen)[1]!.id,
    })
    letGo()
    await at.tick()
    expect(words(await (await reading).text())).toBe('three')
    const [, assistant] = await at.messages(id)
    expect(assistant.content).toBe('one two three')
    expect(await at.messages(id)).toHaveLength(2)
  })

  test('before the engine had been asked, it is asked once', async () => {
    const { id } = await at.open()
    const { text } = await at.chat(id, 'hello', { client_message_id: 'c' })
    await at.sql`
      delete from consultations.turn_events where turn_id in (
        select id from consultations.turns where session_id = ${id})`
    await at.sql`delete from consultations.messages where session_id = ${id} and seq = 2`
    await at.sql`
      update consultations.turns set status = 'RUNNING', run_id = null, engine_seq = 0, n = 0
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
