import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import platform from './service.ts'

const healthy = async (request: Request) => {
  expect(new URL(request.url).pathname).toBe('/api/v1/internal/actuator/health')
  return Response.json({ status: 'UP', components: { db: { status: 'UP' } } })
}
const degraded = async () =>
  Response.json({
    status: 'DEGRADED',
    components: { db: { status: 'UP' }, search: { status: 'DOWN' } },
  })
const down = async () =>
  Response.json({ status: 'DOWN', components: { db: { status: 'DOWN' } } }, { status: 503 })

let at: Stage
beforeAll(async () => {
  at = await stage(platform, {
    peers: {
      ...{ 'memory-service': healthy, 'ai-engine': healthy, 'consultations-service': healthy },
      ...{ 'matter-service': healthy, 'knowledge-service': degraded, 'files-service': down },
    },
  })
})
afterAll(() => at.close())

test('administrators see the health of every service, others nothing', async () => {
  const headers = { 'x-permissions': 'platform:manage' }
  const { status, data } = await at.call('GET', '/api/v1/health', { headers })
  expect([status, data.status]).toEqual([200, 'DEGRADED'])
  const statuses = Object.fromEntries(data.services.map((each: any) => [each.service, each.status]))
  expect(statuses).toEqual({
    'platform-service': 'UP',
    'memory-service': 'UP',
    'ai-engine': 'UP',
    'consultations-service': 'UP',
    'matter-service': 'UP',
    'knowledge-service': 'DEGRADED',
    'files-service': 'DOWN',
    'collector-service': 'DOWN',
  })
  const knowledge = data.services.find((each: any) => each.service === 'knowledge-service')
  expect(knowledge.components.search).toEqual({ status: 'DOWN' })
  expect((await at.call('GET', '/api/v1/health')).status).toBe(403)
})
