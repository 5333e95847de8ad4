import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import matter from './service.ts'

const published: any[] = []
let isAvailable = true
let at: Stage
beforeAll(async () => {
  at = await stage(matter, {
    headers: { 'x-user-id': 'client-1', 'x-user-type': 'client' },
    peers: {
      'platform-service': async (request) => {
        if (!isAvailable)
          return Response.json({ code: 'INTERNAL', message: 'x', data: null }, { status: 500 })
        const { events = [] } = (await request.json().catch(() => ({}))) as { events?: object[] }
        published.push(...events)
        return Response.json({ code: 0, message: 'ok', data: { stored: events.length } })
      },
    },
  })
})
afterAll(() => at.close())

test('changes of a matter are published with keys and no content, also after an outage', async () => {
  const created = await at.call('POST', '/api/v1/matters', { body: { title: 'A secret title' } })
  expect(created.status).toBe(201)
  const { id } = created.data
  isAvailable = false
  await at.tick()
  expect(published).toEqual([])
  isAvailable = true
  await at.call('POST', `/api/v1/matters/${id}/todos`, {
    body: { todo_key: 'call', title: 'Call the court', actor: 'lawyer' },
  })
  await at.call('POST', `/api/v1/internal/matters/${id}/sync/all`, {
    body: {
      deliverables: [{ deliverable_key: 'complaint', title: 'Complaint', kind: 'document' }],
    },
  })
  await at.tick()
  await expect
    .poll(async () => {
      await at.tick()
      return published.map(({ type }) => type).sort()
    })
    .toEqual([
      'deliverable.released',
      'matter.updated',
      'matter.updated',
      'matter.updated',
      'todo.updated',
    ])
  for (const event of published) {
    expect(event).toMatchObject({ organization_id: 'acme', user_id: 'client-1', matter_id: id })
  }
  expect(published.find(({ type }) => type === 'deliverable.released').data).toMatchObject({
    deliverable_keys: ['complaint'],
  })
  expect(JSON.stringify(published)).not.toContain('secret')
  expect(await at.sql`select id from matter.event_outbox`).toEqual([])
})
