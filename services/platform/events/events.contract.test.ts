import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../../tests/support/stage.ts'
import { newId } from '../../_kit/ids.ts'
import platform from '../service.ts'

let at: Stage
beforeAll(async () => {
  at = await stage(platform)
})
afterAll(() => at.close())

const event = (overrides: object = {}) => ({
  id: newId(),
  type: 'matter.updated',
  organization_id: 'acme',
  user_id: 'client-1',
  matter_id: newId(),
  at: '2026-11-16T02:00:00.000Z',
  data: { version: 2 },
  ...overrides,
})
const publish = (...events: object[]) =>
  at.call('POST', '/api/v1/internal/platform/events', { body: { events } })

interface Person {
  organization?: string
  user?: string
  type?: string
}

/** Opens a stream and reads its events one by one. */
async function open(
  { organization = 'acme', user = 'lawyer-1', type = 'lawyer' }: Person,
  last?: string,
) {
  const stop = new AbortController()
  const response = await at.fetch(
    new Request('http://test/api/v1/events', {
      signal: stop.signal,
      headers: {
        'x-organization-id': organization,
        'x-user-id': user,
        'x-user-type': type,
        ...(last !== undefined && { 'last-event-id': last }),
      },
    }),
  )
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  async function next(): Promise<{ id: string; event: string; data: any }> {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const frame = text.slice(0, end)
        text = text.slice(end + 2)
        if (frame.startsWith(':')) continue
        const fields = Object.fromEntries(
          frame.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)),
        )
        return { id: fields.id, event: fields.event, data: JSON.parse(fields.data) }
      }
      const { done, value } = await reader.read()
      if (done) throw new Error('the stream ended')
      text += value
    }
  }
  const close = async () => {
    await reader.cancel().catch(() => {})
    stop.abort()
  }
  return { next, close }
}

describe('the stream of events', () => {
  test('an event reaches staff of the organization and its client, and nobody else', async () => {
    const people: Person[] = [
      {},
      { user: 'client-1', type: 'client' },
      { organization: 'provider', type: 'firm_admin' },
      { user: 'client-2', type: 'client' },
      { organization: 'other' },
      { user: 'client-1', type: 'unknown-type', organization: 'other' },
    ]
    const streams = await Promise.all(people.map((person) => open(person)))
    const sent = event({ provider_organization_id: 'provider' })
    // Every stream ends with an event of its own, so that its silence before is certain.
    const last = event({ user_id: 'client-2' })
    const elsewhere = event({ organization_id: 'other', user_id: 'client-1' })
    expect((await publish(sent, last, elsewhere)).data).toEqual({ stored: 3 })
    const firsts = await Promise.all(streams.map(({ next }) => next()))
    expect(firsts.map(({ id }) => id)).toEqual([
      ...[sent.id, sent.id, sent.id],
      ...[last.id, elsewhere.id, elsewhere.id],
    ])
    expect(firsts[0]).toEqual({
      id: sent.id,
      event: 'matter.updated',
      data: {
        ...{ id: sent.id, type: 'matter.updated', organization_id: 'acme' },
        ...{ matter_id: sent.matter_id, at: sent.at, version: 2 },
      },
    })
    await Promise.all(streams.map(({ close }) => close()))
  })

  test('Last-Event-ID continues without gap or repetition; an unknown id gets all that is left', async () => {
    const organization = 'resuming'
    const sent = Array.from({ length: 450 }, () => event({ organization_id: organization }))
    await publish(...sent)
    const stream = await open({ organization }, sent[9]!.id)
    for (const { id } of sent.slice(10)) expect((await stream.next()).id).toBe(id)
    const later = event({ organization_id: organization })
    await publish(later)
    expect((await stream.next()).id).toBe(later.id)
    await stream.close()
    const old = await open({ organization }, newId())
    expect((await old.next()).id).toBe(sent[0]!.id)
    await old.close()
  })

  test('an event that is published twice is stored once', async () => {
    const sent = event()
    const stored = await Promise.all([publish(sent), publish(sent), publish(sent, event())])
    expect(stored.map(({ data }) => data.stored).reduce((a, b) => a + b)).toBe(2)
    const rows = await at.sql`select id from platform.events where id = ${sent.id}`
    expect(rows).toHaveLength(1)
  })

  test('a stream without identity is 401, publishing without the key too', async () => {
    const headers = { 'x-user-id': undefined }
    expect((await at.call('GET', '/api/v1/events', { headers })).status).toBe(401)
    const noKey = { 'x-internal-api-key': undefined }
    const body = { events: [event()] }
    const path = '/api/v1/internal/platform/events'
    expect((await at.call('POST', path, { body, headers: noKey })).status).toBe(401)
    const unknown = { events: [event({ type: 'secret.leaked' })] }
    expect((await at.call('POST', path, { body: unknown })).status).toBe(400)
  })
})
