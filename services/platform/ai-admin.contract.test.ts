import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import platform from './service.ts'

const own = '0190b8f4-0000-7000-8000-00000000000a'
const foreign = '0190b8f4-0000-7000-8000-00000000000b'
const run = '0190b8f4-0000-7000-8000-00000000000c'
const trace = '0190b8f4-0000-7000-8000-00000000000d'
const matterIdByThread: Record<string, string | null> = { mine: own, theirs: foreign, none: null }

const envelope = (data: unknown) => Response.json({ code: 0, message: 'ok', data })
let requests: { service: string; url: string; method: string; headers: Headers }[] = []

const record =
  (service: string, respond: (url: URL) => unknown) =>
  async (request: Request): Promise<Response> => {
    const { headers, method } = request
    requests.push({ service, url: request.url.replace(/^http:\/\/[^/]+/, ''), method, headers })
    const data = respond(new URL(request.url))
    return data instanceof Response ? data : envelope(data)
  }

function engine(url: URL): unknown {
  if (url.pathname.endsWith('/stream')) return new Response('{"event":"end","data":{"seq":1}}\n')
  if (url.pathname.endsWith(`/traces/${trace}`)) return { trace_id: trace, matter_id: foreign }
  if (url.pathname.endsWith('/traces')) {
    const thread = url.searchParams.get('thread_id')
    const matter_id = thread ? matterIdByThread[thread] : url.searchParams.get('matter_id')
    return { items: [{ run_id: run, matter_id }], next_cursor: null }
  }
  return { items: [], path: url.pathname }
}

let at: Stage
beforeAll(async () => {
  at = await stage(platform, {
    peers: {
      'ai-engine': record('engine', engine),
      'knowledge-service': record('knowledge', () => ({ citations: [] })),
      'matter-service': record('matter', (url) => ({
        lawyer_id: url.pathname.endsWith(own) ? 'law' : 'other',
      })),
    },
  })
})
beforeEach(() => {
  requests = []
})
afterAll(() => at.close())

const as = (type: string, user = 'law') => ({ 'x-user-type': type, 'x-user-id': user })
const admin = '/api/v1/ai/admin'
const reads = [
  [
    `${admin}/traces?matter_id=${foreign}&status=failed`,
    `/traces?matter_id=${foreign}&status=failed`,
  ],
  [`${admin}/traces/${trace}`, `/traces/${trace}`],
  [`${admin}/timeline?thread_id=theirs&size=5`, '/timeline?thread_id=theirs&size=5'],
  [`${admin}/runs/${run}/stream?after=3`, `/agent/runs/${run}/stream?after=3`],
  [`${admin}/checkpoints?thread_id=theirs`, '/agent/threads/theirs/checkpoints'],
] as const

describe.each(['operator', 'firm_admin'])('user type %s', (type) => {
  test.each(reads)('%s is read from the engine in the organization', async (path, source) => {
    const { status } = await at.call('GET', path, { headers: as(type) })
    expect(status).toBe(200)
    const [{ url, headers }] = requests as [(typeof requests)[number]]
    expect([url, headers.get('x-organization-id')]).toEqual([
      `/api/v1/internal/ai${source}`,
      'acme',
    ])
  })

  test('a thread is replayed', async () => {
    const body = { thread_id: 'theirs', checkpoint_id: 'c' }
    const { status } = await at.call('POST', `${admin}/replay`, { headers: as(type), body })
    expect([status, requests[0]!.url]).toEqual([200, '/api/v1/internal/ai/agent/replay'])
  })
})

describe('a lawyer', () => {
  const read = async (path: string) =>
    (await at.call('GET', path, { headers: as('lawyer') })).status
  const replay = async (thread_id: string) => {
    const body = { thread_id, checkpoint_id: 'c' }
    return (await at.call('POST', `${admin}/replay`, { headers: as('lawyer'), body })).status
  }

  test('reads and replays own matters', async () => {
    expect(await read(`${admin}/traces?matter_id=${own}`)).toBe(200)
    expect(await read(`${admin}/timeline?matter_id=${own}`)).toBe(200)
    expect(await read(`${admin}/runs/${run}/stream?matter_id=${own}`)).toBe(200)
    expect(await read(`${admin}/checkpoints?thread_id=mine`)).toBe(200)
    expect(await replay('mine')).toBe(200)
  })

  test('gets 404 for other matters, also by thread, trace and run', async () => {
    expect(await read(`${admin}/traces?matter_id=${foreign}`)).toBe(404)
    expect(await read(`${admin}/traces/${trace}`)).toBe(404)
    expect(await read(`${admin}/timeline?matter_id=${foreign}`)).toBe(404)
    expect(await read(`${admin}/runs/${trace}/stream?matter_id=${own}`)).toBe(404)
    expect(await read(`${admin}/checkpoints?thread_id=theirs`)).toBe(404)
    expect(await read(`${admin}/checkpoints?thread_id=none`)).toBe(404)
    expect(await replay('theirs')).toBe(404)
    expect(requests.some(({ method, url }) => method === 'POST' && url.includes('replay'))).toBe(
      false,
    )
  })

  test('must name a matter', async () => {
    expect(await read(`${admin}/traces`)).toBe(400)
    expect(await read(`${admin}/timeline?thread_id=theirs`)).toBe(400)
    expect(await read(`${admin}/runs/${run}/stream`)).toBe(400)
  })
})

test.each(['client', 'paralegal', undefined])('user type %s is forbidden', async (type) => {
  const headers = { 'x-user-type': type, 'x-user-id': 'law' }
  for (const [path] of reads) expect((await at.call('GET', path, { headers })).status).toBe(403)
  const body = { thread_id: 'mine', checkpoint_id: 'c' }
  expect((await at.call('POST', `${admin}/replay`, { headers, body })).status).toBe(403)
  expect(requests).toEqual([])
})

test('citations are verified by knowledge-service, calculations by the engine', async () => {
  const verified = await at.call('POST', '/api/v1/ai/citations/verify', { body: { text: 't' } })
  expect(verified.data).toEqual({ citations: [] })
  await at.call('POST', '/api/v1/ai/calculators/court_fee', { body: { kind: 'divorce' } })
  await at.call('GET', '/api/v1/ai/calculators')
  expect(requests.map(({ service, url }) => [service, url])).toEqual([
    ['knowledge', '/api/v1/internal/citations/verify'],
    ['engine', '/api/v1/internal/ai/calculators/court_fee'],
    ['engine', '/api/v1/internal/ai/calculators'],
  ])
})
