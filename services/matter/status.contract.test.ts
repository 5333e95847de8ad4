import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MatterStage, path, stageMatter } from '../../tests/support/matter.ts'

let at: MatterStage
beforeAll(async () => {
  at = await stageMatter()
})
afterAll(() => at.close())

const move = (id: string, status: unknown, more = {}, headers = {}) =>
  at.post(`${path}/${id}/status`, { status, ...more }, headers)

describe('the status of a matter', () => {
  test('every allowed transition increments the version and records an event', async () => {
    const { id } = await at.createMatter()
    const way = ['ACTIVE', 'ON_HOLD', 'ACTIVE', 'COMPLETED', 'ARCHIVED']
    for (const [index, status] of way.entries()) {
      const { status: code, data, headers } = await move(id, status, { reason: `step ${index}` })
      expect([code, data.status, data.version]).toEqual([200, status, index + 2])
      expect(headers.get('etag')).toBe(`"${index + 2}"`)
    }
    const { events } = await at.timeline(id)
    expect(events.map((each: any) => each.type)).toEqual([
      ...way.map(() => 'matter.status'),
      'matter.created',
    ])
    expect(events[0]).toMatchObject({
      actor: 'u-1',
      summary: 'From COMPLETED to ARCHIVED: step 4',
      from: { status: 'COMPLETED' },
      to: { status: 'ARCHIVED', reason: 'step 4' },
    })
  })

  test('another transition is 409 with the possible ones', async () => {
    const { id } = await at.createMatter()
    const refused = await move(id, 'COMPLETED')
    expect([refused.status, refused.code]).toEqual([409, 'CONFLICT'])
    expect(refused.data).toEqual({ status: 'DRAFT', possible: ['ACTIVE', 'CANCELLED'] })
    expect(await at.matter(id)).toMatchObject({ status: 'DRAFT', version: 1 })
    await move(id, 'CANCELLED')
    for (const status of ['DRAFT', 'ACTIVE', 'ON_HOLD', 'COMPLETED', 'ARCHIVED']) {
      expect((await move(id, status)).status).toBe(409)
    }
  })

  test('the current status changes nothing', async () => {
    const before = await at.createMatter()
    const { status, data } = await move(before.id, 'DRAFT', { reason: 'none' })
    expect([status, data]).toEqual([200, before])
    expect((await at.timeline(before.id)).events).toHaveLength(1)
  })

  test('a stale If-Match keeps the status', async () => {
    const { id } = await at.createMatter()
    await move(id, 'ACTIVE')
    const stale = await move(id, 'ON_HOLD', {}, { 'if-match': '"1"' })
    expect([stale.status, stale.code]).toEqual([409, 'VERSION_CONFLICT'])
    expect((await move(id, 'ON_HOLD', {}, { 'if-match': '"2"' })).data.status).toBe('ON_HOLD')
  })

  test('an unknown status is 400', async () => {
    const { id } = await at.createMatter()
    for (const status of ['OPEN', 'draft', null, undefined, 1]) {
      expect((await move(id, status)).status).toBe(400)
    }
    expect((await move('01900000-0000-7000-8000-000000000000', 'ACTIVE')).status).toBe(404)
  })

  test('of two concurrent transitions one succeeds', async () => {
    for (const [first, second] of [
      ['COMPLETED', 'CANCELLED'],
      ['ON_HOLD', 'COMPLETED'],
    ]) {
      const { id } = await at.createMatter()
      await move(id, 'ACTIVE')
      const responses = await Promise.all([move(id, first), move(id, second)])
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
      const won = responses.find(({ status }) => status === 200)!.data
      expect(await at.matter(id)).toEqual(won)
      expect((await at.timeline(id)).events).toHaveLength(3)
    }
  })
})
