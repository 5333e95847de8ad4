import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Stage, stage, testProject } from '../../../tests/support/stage.ts'
import { newId } from '../../_kit/ids.ts'
import { type Listening, listen } from '../../_run/listen.ts'
import platform from '../service.ts'

const received: { headers: Headers; body: string }[] = []
let status = 200
let receiver: Listening
let at: Stage
beforeAll(async () => {
  receiver = await listen(
    async (request) => {
      received.push({ headers: request.headers, body: await request.text() })
      return new Response(null, { status, headers: { location: 'http://127.0.0.1:1/' } })
    },
    0,
    '127.0.0.1',
  )
  at = await stage(platform, {
    env: { WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${receiver.port}` },
    headers: { 'x-permissions': 'platform:manage', 'x-user-id': 'admin' },
  })
})
afterAll(async () => {
  await at.close()
  await receiver.close(0)
})
beforeEach(async () => {
  await at.sql`delete from platform.webhooks`
  await at.sql`delete from platform.jobs`
  received.length = 0
  status = 200
})

const path = '/api/v1/webhooks'
const create = (body: object = {}) =>
  at.call('POST', path, { body: { url: `http://127.0.0.1:${receiver.port}/hook`, ...body } })
const publish = async (overrides: object = {}) => {
  const event = {
    ...{ id: newId(), type: 'card.created', organization_id: 'acme', user_id: 'c' },
    ...{ matter_id: newId(), at: '2026-11-16T02:00:00.000Z', data: { card_id: 'k' } },
    ...overrides,
  }
  await at.call('POST', '/api/v1/internal/platform/events', { body: { events: [event] } })
  return event
}
const due = () => at.sql`update platform.jobs set run_at = now() where status = 'PENDING'`
/** Deliveries need a runtime that can choose the address it connects to. */
const delivers = testProject !== 'workerd'

test('a webhook shows its secret once and belongs to its organization', async () => {
  const { status, data } = await create()
  expect(status).toBe(201)
  expect(data.secret).toMatch(/^whsec_[\w+/]{43}=$/)
  const list = await at.call('GET', path)
  expect(list.data.items).toHaveLength(1)
  expect(list.text).not.toContain(data.secret)
  const headers = { 'x-organization-id': 'other' }
  expect((await at.call('GET', `${path}/${data.id}`, { headers })).status).toBe(404)
  expect((await at.call('DELETE', `${path}/${data.id}`, { headers })).status).toBe(404)
  const weak = { 'x-permissions': undefined }
  expect((await at.call('GET', path, { headers: weak })).status).toBe(403)
  expect((await at.call('DELETE', `${path}/${data.id}`)).status).toBe(200)
})

test.each([
  'http://example.com/hook',
  'https://127.0.0.1/hook',
  'https://[::1]/hook',
  'https://10.1.2.3/hook',
  'https://169.254.169.254/latest/meta-data',
  'https://[::ffff:192.168.0.1]/',
  'https://0x7f000001/',
  'https://user:secret@example.com/',
  'ftp://example.com/',
  'nonsense',
])('%s is refused as an address', async (url) => {
  expect((await create({ url })).status).toBe(400)
})

test.runIf(delivers)(
  'an event is delivered once with a signature that its receiver can verify',
  async () => {
    const { data: webhook } = await create({ types: ['card.created'] })
    const event = await publish()
    await publish({ type: 'todo.updated' })
    await publish({ organization_id: 'other' })
    await at.tick()
    expect(received).toHaveLength(1)
    const { headers, body } = received[0]!
    const [id, timestamp] = [headers.get('webhook-id'), headers.get('webhook-timestamp')]
    expect(id).toBe(event.id)
    const key = Buffer.from(webhook.secret.slice('whsec_'.length), 'base64')
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    expect(headers.get('webhook-signature')).toBe(`v1,${expected}`)
    expect(JSON.parse(body)).toMatchObject({
      type: 'card.created',
      timestamp: event.at,
      data: { id: event.id, organization_id: 'acme', matter_id: event.matter_id, card_id: 'k' },
    })
    await at.tick()
    expect(received).toHaveLength(1)
  },
)

test.runIf(delivers)(
  'a receiver that fails gets the event again, and again on request',
  async () => {
    const { data: webhook } = await create()
    status = 503
    const event = await publish()
    await at.tick()
    status = 302
    await due()
    await at.tick()
    const failing = await at.call('GET', `${path}/${webhook.id}`)
    expect(failing.data.deliveries).toMatchObject([
      { event_id: event.id, attempts: 2, delivered_at: null, response_status: 302 },
    ])
    status = 204
    await due()
    await at.tick()
    const delivered = await at.call('GET', `${path}/${webhook.id}`)
    expect(delivered.data.deliveries[0]).toMatchObject({
      attempts: 3,
      response_status: 204,
      error: null,
    })
    expect(received).toHaveLength(3)
    const again = await at.call('POST', `${path}/${webhook.id}/redeliver`, {
      body: { event_id: event.id },
    })
    expect(again.status).toBe(202)
    await at.tick()
    expect(received).toHaveLength(4)
    expect(new Set(received.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1)
    const unknown = { body: { event_id: newId() } }
    expect((await at.call('POST', `${path}/${webhook.id}/redeliver`, unknown)).status).toBe(404)
  },
)

test.runIf(delivers)('a receiver that is gone is disabled', async () => {
  const { data: webhook } = await create()
  status = 410
  await publish()
  await at.tick()
  expect((await at.call('GET', `${path}/${webhook.id}`)).data.enabled).toBe(false)
  await publish()
  await at.tick()
  expect(received).toHaveLength(1)
})

test.runIf(delivers)('a name that resolves to a private address is not connected to', async () => {
  const { data: webhook } = await create({ url: 'https://localhost/hook' })
  await publish()
  await at.tick()
  const { data } = await at.call('GET', `${path}/${webhook.id}`)
  expect(data.deliveries[0]).toMatchObject({ delivered_at: null, response_status: null })
  expect(data.deliveries[0].error).toMatch(/not public/)
  expect(received).toEqual([])
})
