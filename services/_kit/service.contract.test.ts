import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newStorage } from '../../tests/support/files.ts'
import { key, type Stage, stage, testProject } from '../../tests/support/stage.ts'
import { services } from '../_run/services.ts'
import { keyId } from './keys.ts'
import { describe as describeService } from './openapi.ts'

const actuator = '/api/v1/internal/actuator'
/** Object storage, which only files-service needs. */
const storage = await newStorage()
if (typeof storage === 'string') console.warn(`skipped: files-service, ${storage}`)
const variables = typeof storage === 'string' ? {} : storage.variables
const startable = services.filter(({ folder }) => folder !== 'files' || typeof storage !== 'string')
afterAll(() => (typeof storage === 'string' ? undefined : storage.drop()))

/** Replaces each path parameter by a valid id. */
const sample = (path: string) =>
  path.replace(/:\w+(\{.*?\}+)?(?=\/|$)/g, '00000000-0000-7000-8000-000000000000')

const noKey = { 'x-internal-api-key': undefined }

describe.each(startable.map((service) => [service.name, service] as const))(
  '%s',
  (name, service) => {
    let at: Stage
    beforeAll(async () => {
      at = await stage(service, {
        env: {
          ...variables,
          INTERNAL_API_KEY_ACCEPTED: 'an-older-key, a-newer-key',
          METRICS_TOKEN: 'scraper',
        },
      })
    })
    afterAll(() => at.close())

    const json = async (path: string, headers: Record<string, string | undefined> = {}) => {
      const response = await at.call('GET', path, { headers })
      return { ...response, body: JSON.parse(response.text) }
    }

    test('probes need no key', async () => {
      const health = await json(`${actuator}/health`, noKey)
      expect(health.status).toBe(200)
      expect(health.body).toMatchObject({ status: 'UP', components: { db: { status: 'UP' } } })
      for (const probe of ['liveness', 'readiness']) {
        const { status, body } = await json(`${actuator}/health/${probe}`, noKey)
        expect([status, body]).toEqual([200, { status: 'UP' }])
      }
    })

    test('service info has the version and the key ids, and requires the key', async () => {
      const { body } = await json(`${actuator}/info`)
      expect(body).toEqual({
        service: name,
        version: expect.any(String),
        runtime: testProject === 'deno' || testProject === 'workerd' ? testProject : 'node',
        internal_key: {
          current: await keyId(key),
          accepted: [await keyId('an-older-key'), await keyId('a-newer-key')],
        },
      })
      expect((await at.call('GET', `${actuator}/info`, { headers: noKey })).status).toBe(401)
    })

    test('requests are counted by route, not by path', async () => {
      await at.call('GET', '/api/v1/internal/nowhere/some-id')
      const { text, headers } = await at.call('GET', `${actuator}/prometheus`)
      expect(headers.get('content-type')).toContain('text/plain')
      expect(text).toMatch(/http_requests_total\{method="GET",route="[^"]*",status="404"\} \d+/)
      expect(text).not.toContain('some-id')
      expect((await at.call('GET', `${actuator}/prometheus`, { headers: noKey })).status).toBe(401)
    })

    test('the key or METRICS_TOKEN is accepted as a bearer token for metrics only', async () => {
      const as = (path: string, value: string) =>
        at.call('GET', `${actuator}/${path}`, {
          headers: { ...noKey, authorization: `Bearer ${value}` },
        })
      expect((await as('prometheus', key)).status).toBe(200)
      expect((await as('prometheus', 'wrong')).status).toBe(401)
      expect((await as('prometheus', 'scraper')).status).toBe(200)
      expect((await as('info', key)).status).toBe(401)
      expect((await as('info', 'scraper')).status).toBe(401)
      const headers = { 'x-internal-api-key': 'scraper' }
      for (const path of ['info', 'prometheus']) {
        expect((await at.call('GET', `${actuator}/${path}`, { headers })).status).toBe(401)
      }
    })

    test('the additional keys of a rotation are accepted', async () => {
      for (const accepted of ['an-older-key', 'a-newer-key']) {
        const headers = { 'x-internal-api-key': accepted }
        expect((await at.call('GET', `${actuator}/info`, { headers })).status).toBe(200)
      }
    })

    test('a request to an internal path without the key gets 401', async () => {
      const internal = service.endpoints.filter(({ path }) => path.startsWith('/api/v1/internal/'))
      for (const { method, path } of internal) {
        for (const value of [undefined, 'wrong']) {
          const response = await at.call(method.toUpperCase(), sample(path), {
            headers: { 'x-internal-api-key': value, 'x-is-superuser': 'true' },
            ...(method === 'get' || method === 'delete' ? {} : { body: {} }),
          })
          expect([path, response.status, response.code]).toEqual([path, 401, 'UNAUTHENTICATED'])
        }
      }
    })

    test('the API description is published without internal paths', async () => {
      const { status, body } = await json('/api/v1/v3/api-docs', noKey)
      expect([status, body.openapi, body.info.title]).toEqual([200, '3.1.0', name])
      const described = Object.keys(describeService(name, '', service.endpoints).paths)
      const external = described.filter((path) => !path.startsWith('/api/v1/internal/'))
      expect(new Set(Object.keys(body.paths))).toEqual(new Set(external))
      const page = await at.call('GET', '/api/v1/swagger-ui/index.html', { headers: noKey })
      expect([page.status, page.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=UTF-8',
      ])
    })

    test('a request id is echoed, and generated if it is missing or invalid', async () => {
      const idFor = async (value: string | undefined) => {
        const headers = { ...noKey, 'x-request-id': value }
        return (await at.call('GET', `${actuator}/health/liveness`, { headers })).headers.get(
          'x-request-id',
        )
      }
      expect(await idFor('a-request.1')).toBe('a-request.1')
      expect(await idFor(undefined)).toMatch(/^[0-9a-f-]{36}$/)
      expect(await idFor('x'.repeat(500))).toMatch(/^[0-9a-f-]{36}$/)
      expect(await idFor('<script>')).toMatch(/^[0-9a-f-]{36}$/)
    })

    test('an unknown path or method gets a fault in the envelope', async () => {
      const unknown = await at.call('GET', '/nowhere')
      expect([unknown.status, unknown.code, unknown.data]).toEqual([404, 'NOT_FOUND', null])
      for (const { method, path } of service.endpoints) {
        const url = sample(path)
        const fits = (pattern: string) =>
          new RegExp(`^${pattern.replace(/:\w+(\{.*?\}+)?(?=\/|$)/g, '[^/]+')}$`).test(url)
        const methods = service.endpoints
          .filter((each) => fits(each.path))
          .map((each) => each.method)
        const other = (['patch', 'delete', 'post', 'get'] as const).find(
          (each) => !methods.includes(each),
        )!
        const response = await at.call(other.toUpperCase(), url)
        expect([path, response.status]).toEqual([path, 405])
        expect(response.headers.get('allow')).toContain(method.toUpperCase())
      }
    })
  },
)
