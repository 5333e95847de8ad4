import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import platform from './service.ts'

const path = '/api/v1/erasures'
const peers = [
  'consultations-service',
  'ai-engine',
  'memory-service',
  'files-service',
  'knowledge-service',
]

let at: Stage
/** Requests of the job to each service, without dry runs. */
let erased: { service: string; body: any; organization: string | null }[]
let down: Set<string>
let duringErasure: ((service: string) => Promise<unknown>) | undefined
const matters: Record<string, string[]> = { 'u-1': ['m-1', 'm-2'], 'u-9': [] }

const peer = (service: string) => async (request: Request) => {
  const body: any = await request.json()
  const fault = { code: 'INTERNAL', message: 'Down.', data: null }
  if (down.has(service)) return Response.json(fault, { status: 500 })
  const organization = request.headers.get('x-organization-id')
  const matter_ids = body.matter_id ? [body.matter_id] : (matters[body.user_id] ?? [])
  const data = { erased: { rows: 1 }, matter_ids, file_ids: ['f-1'] }
  if (!body.dry_run) {
    erased.push({ service, body, organization })
    await duringErasure?.(service)
  }
  return Response.json({ code: 0, message: 'ok', data })
}

beforeAll(async () => {
  at = await stage(platform, {
    headers: { 'x-permissions': 'platform:manage', 'x-user-id': 'admin' },
    peers: Object.fromEntries([...peers, 'matter-service'].map((name) => [name, peer(name)])),
  })
})
beforeEach(() => {
  erased = []
  down = new Set()
  duringErasure = undefined
})
afterAll(() => at.close())

const request = (body: object, headers = {}) => at.call('POST', path, { body, headers })
const report = async (job: string) => (await at.call('GET', `${path}/${job}`)).data
const hold = (matter: string) =>
  at.call('PUT', `/api/v1/legal-holds/${matter}`, { body: { reason: 'litigation' } })
const release = (matter: string) => at.call('DELETE', `/api/v1/legal-holds/${matter}`)
/** Runs due jobs, retries included. */
const runJobs = async () => {
  await at.sql`update platform.jobs set run_at = now() where status = 'PENDING'`
  while ((await at.tick()) > 0);
}

describe('an erasure', () => {
  test('calls every service once with the subject, its matters and files, and is audited', async () => {
    const { status, data } = await request({ user_id: 'u-1' })
    expect(status).toBe(202)
    expect((await report(data.job_id)).status).toBe('PENDING')
    await runJobs()
    const services = erased.map(({ service }) => service).sort()
    expect(services).toEqual([...peers, 'matter-service'].sort())
    for (const { body, organization } of erased) {
      expect(organization).toBe('acme')
      expect(body).toMatchObject({ user_id: 'u-1', matter_ids: ['m-1', 'm-2'], file_ids: ['f-1'] })
    }
    const result = await report(data.job_id)
    expect(result).toMatchObject({ status: 'SUCCEEDED', requested_by: 'admin', dry_run: false })
    expect(result.report.memory).toEqual({ status: 'done', erased: { rows: 1 }, error: null })
    const log = await at.call('GET', '/api/v1/audit-logs?resource=user:u-1')
    expect(log.data.items.map(({ action }: any) => action)).toEqual([
      'erasure.succeeded',
      'erasure.requested',
    ])
    const events = await at.sql`
      select organization_id, user_id, data from platform.events
      where type = 'job.updated' and data ->> 'job_id' = ${data.job_id} order by seq`
    expect(events).toMatchObject(
      ['PENDING', 'SUCCEEDED'].map((status) => ({
        organization_id: 'acme',
        user_id: null,
        data: { kind: 'erase', status },
      })),
    )
  })

  test('the gateway is asked to erase a person once, and reports what it erased', async () => {
    const internal = '/api/v1/internal/platform/gateway-erasures'
    const pending = async () =>
      (await at.call('GET', internal)).data.items.map(({ job_id }: any) => job_id)
    const dryRun = await request({ user_id: 'u-9', dry_run: true })
    const { data } = await request({ user_id: 'u-9' })
    expect(await pending()).not.toContain(data.job_id)
    await runJobs()
    expect(await pending()).toContain(data.job_id)
    expect(await pending()).not.toContain(dryRun.data.job_id)
    const send = () =>
      at.call('POST', `${internal}/${data.job_id}`, { body: { erased: { sessions: 2 } } })
    expect((await send()).data).toEqual({ recorded: true })
    expect((await send()).data).toEqual({ recorded: false })
    expect(await pending()).not.toContain(data.job_id)
    expect((await report(data.job_id)).report.gateway.erased).toEqual({ sessions: 2 })
    const headers = { 'x-internal-api-key': undefined }
    expect((await at.call('GET', internal, { headers })).status).toBe(401)
  })

  test('a dry run erases nothing and reports the counts', async () => {
    const { data } = await request({ matter_id: 'm-7', dry_run: true })
    await runJobs()
    expect(erased).toEqual([])
    expect((await report(data.job_id)).report.files.erased).toEqual({ rows: 1 })
  })

  test('two requests at once start one job', async () => {
    const both = await Promise.all([request({ user_id: 'u-9' }), request({ user_id: 'u-9' })])
    expect(both[0].data).toEqual(both[1].data)
    await runJobs()
    expect(erased.filter(({ service }) => service === 'memory-service')).toHaveLength(1)
    const later = await request({ user_id: 'u-9' })
    expect(later.data.job_id).not.toBe(both[0].data.job_id)
    await runJobs()
  })

  test('a service that is down is retried and the others are not repeated', async () => {
    const { data } = await request({ user_id: 'u-9' })
    down.add('files-service')
    await runJobs()
    const waiting = await report(data.job_id)
    expect([waiting.status, waiting.report.files.status]).toEqual(['RUNNING', 'failed'])
    expect(waiting.report.knowledge.status).toBe('done')
    down.clear()
    erased = []
    // The circuit breaker of the peer may still be open.
    for (let n = 0; n < 40 && (await report(data.job_id)).status !== 'SUCCEEDED'; n++) {
      await runJobs()
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    expect((await report(data.job_id)).status).toBe('SUCCEEDED')
    expect(erased.map(({ service }) => service)).toEqual(['files-service'])
  }, 30_000)

  test('a job that was killed continues after the last finished service', async () => {
    const { data } = await request({ user_id: 'u-1' })
    duringErasure = async (service) => {
      if (service === 'memory-service') await new Promise(() => {})
    }
    // The process may end before the abandoned job does.
    at.tick().catch(() => {})
    while (!erased.some(({ service }) => service === 'memory-service'))
      await new Promise((resolve) => setTimeout(resolve, 20))
    duringErasure = undefined
    erased = []
    await at.sql`update platform.jobs set lease_until = now() - interval '1 second'
      where kind = 'erase' and status = 'RUNNING'`
    while ((await at.tick()) > 0);
    expect(erased.map(({ service }) => service)).toEqual([
      'memory-service',
      'files-service',
      'knowledge-service',
    ])
    expect(erased[0]!.body.matter_ids).toEqual(['m-1', 'm-2'])
    expect((await report(data.job_id)).status).toBe('SUCCEEDED')
  })

  test('another organization cannot read or list it', async () => {
    const { data } = await request({ user_id: 'u-9' })
    const headers = { 'x-organization-id': 'other' }
    expect((await at.call('GET', `${path}/${data.job_id}`, { headers })).status).toBe(404)
    expect((await at.call('GET', path, { headers })).data.items).toEqual([])
    await runJobs()
  })

  test.each([{}, { user_id: 'a', matter_id: 'b' }, { user_id: '' }])('%j is 400', async (body) => {
    expect((await request(body)).status).toBe(400)
  })

  test('without permission or organization it is refused', async () => {
    const denied = await request({ user_id: 'u' }, { 'x-permissions': undefined })
    expect(denied.status).toBe(403)
    const headers = { 'x-organization-id': undefined }
    expect((await request({ user_id: 'u' }, headers)).status).toBe(400)
  })
})

describe('a legal hold', () => {
  test('prevents the erasure of the matter and of its client until it is released', async () => {
    expect((await hold('m-1')).data).toMatchObject({ matter_id: 'm-1', created_by: 'admin' })
    for (const body of [{ matter_id: 'm-1' }, { user_id: 'u-1' }]) {
      const refused = await request(body)
      expect([refused.status, refused.code]).toEqual([409, 'LEGAL_HOLD'])
      expect(refused.data).toEqual({ matter_ids: ['m-1'] })
    }
    const elsewhere = await request({ matter_id: 'm-1' }, { 'x-organization-id': 'other' })
    expect(elsewhere.status).toBe(202)
    await runJobs()
    expect((await release('m-1')).status).toBe(200)
    expect((await release('m-1')).status).toBe(404)
    expect((await request({ matter_id: 'm-1' })).status).toBe(202)
    await runJobs()
  })

  test('that is placed before the job starts stops it before anything is erased', async () => {
    const { data } = await request({ user_id: 'u-1' })
    await hold('m-2')
    await runJobs()
    expect(erased).toEqual([])
    expect((await report(data.job_id)).status).toBe('BLOCKED')
    await release('m-2')
  })

  test('that is placed during the erasure stops it before the next service', async () => {
    const { data } = await request({ user_id: 'u-1' })
    duringErasure = async (service) => service === 'ai-engine' && hold('m-2')
    await runJobs()
    expect(erased.map(({ service }) => service)).toEqual(['consultations-service', 'ai-engine'])
    const result = await report(data.job_id)
    expect([result.status, Object.keys(result.report).sort()]).toEqual([
      'BLOCKED',
      ['consultations', 'engine'],
    ])
    await release('m-2')
  })
})

test('the rules of feature flags lose the erased user', async () => {
  const body = { key: 'erased', enabled: true, rules: [{ user_ids: ['gone', 'stays'] }] }
  await at.call('POST', '/api/v1/feature-flags', { body })
  const erase = () => at.call('POST', '/api/v1/internal/erasure', { body: { user_id: 'gone' } })
  expect((await erase()).data).toEqual({ erased: { feature_flags: 1 } })
  expect((await erase()).data).toEqual({ erased: { feature_flags: 0 } })
  const { data } = await at.call('GET', '/api/v1/feature-flags/erased')
  expect(data.rules).toEqual([{ user_ids: ['stays'] }])
})
