import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EngineStage, stageEngine, story } from '../../tests/support/engine.ts'

/** Faults that matter-service returns to the next syncs. */
const faults: { status: number; code: string }[] = []
let delivered: string[] = []
let at: EngineStage
beforeAll(async () => {
  at = await stageEngine({
    peers: {
      'matter-service': async (request) => {
        if (!request.url.endsWith('/sync/all'))
          return Response.json({ code: 0, message: 'ok', data: { matter_id: 'm', phases: [] } })
        const { sync_key } = (await request.json()) as { sync_key: string }
        const fault = faults.shift()
        if (fault)
          return Response.json(
            { code: fault.code, message: 'No.', data: null },
            { status: fault.status },
          )
        delivered.push(sync_key)
        const data = { matter_id: 'm', version: 2, applied: true, changed: {} }
        return Response.json({ code: 0, message: 'ok', data })
      },
    },
  })
})
afterAll(() => at.close())

let number = 0
async function turn() {
  delivered = []
  const matter_id = `outbox-${++number}`
  const { data } = await at.post('/agent/execute', {
    session_id: matter_id,
    matter_id,
    message: story,
  })
  return { matter_id, run: data }
}
const readOutbox = async (matter_id: string) =>
  (await at.get(`/outbox?matter_id=${matter_id}`)).data.items
const health = async () => (await at.call('GET', '/api/v1/internal/actuator/health')).text
/** Runs delivery jobs now, whatever their back-off. */
async function deliverNow() {
  await at.sql`update ai_engine.jobs set run_at = now() where status = 'PENDING'`
  await at.tick()
}

test.each([
  [401, 'UNAUTHENTICATED'],
  [403, 'FORBIDDEN'],
  [429, 'RATE_LIMITED'],
  [500, 'INTERNAL'],
])('a sync that gets status %i is retried until it is accepted', async (status, code) => {
  faults.push(...Array.from({ length: 4 }, () => ({ status, code })))
  const { matter_id, run } = await turn()
  expect(run.status).toBe('interrupted')
  expect(await readOutbox(matter_id)).toMatchObject([{ status: 'PENDING' }])
  const deliverAndReadStatus = async () => {
    await deliverNow()
    return (await readOutbox(matter_id))[0].status
  }
  await expect.poll(deliverAndReadStatus, { timeout: 20_000, interval: 50 }).toBe('DELIVERED')
  expect(delivered).toHaveLength(1)
  faults.length = 0
})

test('a permanently refused sync is reported in health, metrics and timeline, and can be sent again', async () => {
  expect(JSON.parse(await health()).status).not.toBe('DEGRADED')
  faults.push({ status: 422, code: 'UNPROCESSABLE' })
  const { matter_id } = await turn()
  const [row] = await readOutbox(matter_id)
  expect(row).toMatchObject({ status: 'REFUSED', error: expect.stringContaining('UNPROCESSABLE') })
  expect(JSON.parse(await health())).toMatchObject({
    status: 'DEGRADED',
    components: { outbox: { status: 'DOWN' } },
  })
  const metrics = await at.call('GET', '/api/v1/internal/actuator/prometheus')
  expect(metrics.text).toMatch(/engine_outbox_refused_total\{[^}]*\} 1/)
  const [round] = (await at.get(`/timeline?matter_id=${matter_id}`)).data.items
  expect(round.sync_errors).toMatchObject([{ sync_key: row.sync_key }])
  const other = { 'x-organization-id': 'other' }
  expect((await at.post('/outbox/resend', { matter_id }, other)).data).toEqual({ resent: 0 })
  expect((await at.post('/outbox/resend', {})).status).toBe(400)
  expect((await at.post('/outbox/resend', { matter_id })).data).toEqual({ resent: 1 })
  await deliverNow()
  expect(await readOutbox(matter_id)).toMatchObject([{ status: 'DELIVERED' }])
  expect(JSON.parse(await health()).status).not.toBe('DEGRADED')
})
