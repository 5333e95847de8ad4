import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { key, type Stage, stage } from '../../tests/support/stage.ts'
import platform from './service.ts'

const requests: Request[] = []
let respond: (request: Request) => Response

const envelope = (data: unknown) => Response.json({ code: 0, message: 'ok', data })
const skill = { name: 'draft', description: 'Drafts a text.', inputs: {}, outputs: {} }

let at: Stage
beforeAll(async () => {
  at = await stage(platform, {
    headers: { 'x-permissions': 'platform:manage', 'x-user-id': 'ada' },
    peers: {
      'ai-engine': (request) => {
        requests.push(request)
        return respond(request)
      },
    },
  })
})
afterAll(() => at.close())
beforeEach(() => {
  requests.length = 0
  respond = () => envelope({ items: [], more: { of: 'the engine' } })
})

const pathAsked = () => {
  expect(requests).toHaveLength(1)
  const { pathname, search } = new URL(requests[0]!.url)
  return pathname + search
}

describe('skills', () => {
  test('every caller gets the skills of the engine', async () => {
    respond = () => envelope({ skills: [skill] })
    const { status, data } = await at.call('GET', '/api/v1/ai/skills?internal=true', {
      headers: { 'x-permissions': undefined },
    })
    expect([status, data]).toEqual([200, { skills: [skill] }])
    expect(pathAsked()).toBe('/api/v1/internal/ai/skills')
  })

  test('the engine receives the identity headers and the internal key', async () => {
    respond = () => envelope({ skills: [] })
    const trace = '0af7651916cd43dd8448eb211c80319c'
    await at.call('GET', '/api/v1/ai/skills', {
      headers: { 'x-request-id': 'r-1', traceparent: `00-${trace}-b7ad6b7169203331-01` },
    })
    const { headers } = requests[0]!
    expect(headers.get('x-internal-api-key')).toBe(key)
    expect(headers.get('x-organization-id')).toBe('acme')
    expect(headers.get('x-user-id')).toBe('ada')
    expect(headers.get('x-request-id')).toBe('r-1')
    expect(headers.get('traceparent')).toContain(trace)
  })

  test('a skill is returned by any name', async () => {
    respond = () => envelope(skill)
    expect((await at.call('GET', '/api/v1/ai/skills/draft')).data).toEqual(skill)
    expect(pathAsked()).toBe('/api/v1/internal/ai/skills/draft')
    requests.length = 0
    const name = encodeURIComponent('../usage?from=1#起草')
    await at.call('GET', `/api/v1/ai/skills/${name}`)
    expect(pathAsked()).toBe(`/api/v1/internal/ai/skills/${name}`)
  })

  test('a skill unknown to the engine is 404', async () => {
    respond = () =>
      Response.json(
        { code: 'NOT_FOUND', message: 'There is no skill x.', data: null },
        { status: 404 },
      )
    const { status, code, message } = await at.call('GET', '/api/v1/ai/skills/x')
    expect([status, code, message]).toEqual([404, 'NOT_FOUND', 'There is no skill x.'])
  })
})

describe.each(['/usage', '/usage/stats'])('%s', (path) => {
  test('the response and the known filters are passed through', async () => {
    const query = 'from=2026-01-01T00%3A00%3A00Z&model=a%26b&page=2&size=5'
    const { status, data } = await at.call('GET', `/api/v1/ai/admin${path}?${query}&secret=1`)
    expect([status, data]).toEqual([200, { items: [], more: { of: 'the engine' } }])
    expect(pathAsked()).toBe(`/api/v1/internal/ai${path}?${query}`)
  })

  test('filters are optional', async () => {
    await at.call('GET', `/api/v1/ai/admin${path}`)
    expect(pathAsked()).toBe(`/api/v1/internal/ai${path}`)
  })

  test('without permission 403 is returned before the engine is called', async () => {
    const { status, code } = await at.call('GET', `/api/v1/ai/admin${path}`, {
      headers: { 'x-permissions': 'platform:read' },
    })
    expect([status, code]).toEqual([403, 'FORBIDDEN'])
    expect(requests).toEqual([])
  })

  test('an error of the engine is returned unchanged', async () => {
    const issues = [{ path: 'from', message: 'No moment.' }]
    respond = () =>
      Response.json(
        { code: 'VALIDATION_FAILED', message: 'from: No moment.', data: { issues } },
        { status: 400 },
      )
    const { status, data } = await at.call('GET', `/api/v1/ai/admin${path}?from=x`)
    expect([status, data]).toEqual([400, { issues }])
    expect((await at.call('GET', `/api/v1/ai/admin${path}?model=${'m'.repeat(201)}`)).status).toBe(
      400,
    )
  })
})

describe('an unavailable engine', () => {
  test.each([
    ['with an envelope', () => new Response('<html>', { status: 200 })],
    ['with what was asked for', () => envelope({ skills: 'none' })],
    ['at all well', () => new Response(null, { status: 502 })],
  ])('%s is unavailable', async (_, bad) => {
    respond = bad
    const { status, code, message } = await at.call('GET', '/api/v1/ai/skills')
    expect([status, code]).toEqual([503, 'UPSTREAM_UNAVAILABLE'])
    expect(message).toContain('ai-engine')
  })

  test('other endpoints work without an engine', async () => {
    const withoutEngine = await stage(platform)
    try {
      const skills = await withoutEngine.call('GET', '/api/v1/ai/skills')
      expect([skills.status, skills.code]).toEqual([503, 'UPSTREAM_UNAVAILABLE'])
      expect((await withoutEngine.call('GET', '/api/v1/tags')).status).toBe(200)
    } finally {
      await withoutEngine.close()
    }
  })
})
