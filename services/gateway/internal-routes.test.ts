import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { Log } from '../_kit/log.ts'
import { makeMetrics } from '../_kit/metrics.ts'
import { services } from '../_run/services.ts'
import { resolveTarget } from './target.ts'

const key = 'a-key-for-tests-only'
const unavailable = () => Promise.reject(new Error('not in this test'))
/** Routes that handled a request since the last look. */
const routes: string[] = []
const record = (fields: object) => void routes.push((fields as { route?: string }).route ?? '')
const log: Log = { info: record, warn() {}, error: record }

/** The services with their own routers, without a database. */
const fetchByService = new Map<string, (request: Request) => Response | Promise<Response>>()
beforeAll(() => {
  for (const service of services) {
    const { fetch } = service.start({
      env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key },
      database: { query: unavailable, transaction: unavailable, end: async () => {} },
      peers: () => unavailable,
      log,
      metrics: makeMetrics(),
      runtime: 'node',
      version: '0',
    })
    fetchByService.set(service.name, fetch)
  }
})

/** Sends a path to the service like the gateway does, and returns the route that handled it. */
async function routeOf(service: string, path: string, method: string): Promise<string | undefined> {
  routes.length = 0
  const request = new Request(`http://peer${path}`, {
    method,
    headers: { 'x-internal-api-key': key },
  })
  const response = await fetchByService.get(service)!(request)
  await response.body?.cancel()
  return routes[0]
}

const isInternal = (route: string) => /^(\/api\/v1)?\/internal(\/|$)/.test(route)

const internalPaths = services.flatMap(({ name, endpoints }) =>
  [
    ...endpoints.map(({ path }) => path).filter(isInternal),
    '/api/v1/internal/actuator/info',
    '/api/v1/internal/actuator/prometheus',
    ...(name === 'collector-service'
      ? ['/internal/collector/sources', '/internal/seed-packages']
      : []),
  ].map((path) => ({ service: name, path: path.replace(/:\w+/g, 'x') })),
)

test('an internal path that is sent to a service directly reaches its handler', async () => {
  expect(internalPaths.length).toBeGreaterThan(60)
  expect(await routeOf('memory-service', '/api/v1/internal/actuator/info', 'GET')).toSatisfy(
    isInternal,
  )
})

const hex = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
/** Ways to spell one character of a path. */
const spellings: ((character: string) => string)[] = [
  (c) => c,
  (c) => c.toUpperCase(),
  hex,
  (c) => hex(c).toUpperCase(),
  (c) => hex(c).replace('%', '%25'),
  (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0),
  (c) => encodeURIComponent(String.fromCharCode(c.charCodeAt(0) + 0xfee0)),
  (c) => `%u00${c.charCodeAt(0).toString(16)}`,
  (c) => `%c0%${(0x80 | c.charCodeAt(0)).toString(16)}`,
]
const insertions = [
  ...[
    '',
    '/',
    '//',
    '/./',
    '/../',
    '/x/../',
    '/x/%2e%2e/',
    '/..;/',
    ';x=1',
    ';',
    '\\',
    '/\\',
    '%5c',
  ],
  ...[
    '%2f',
    '%252f',
    '.',
    '..',
    '%2e',
    '%00',
    '%20',
    '%09',
    '%0d%0a',
    '\t',
    '#',
    '?',
    '%23',
    '%3f',
    '*',
    '~',
  ],
]

/** An internal path with some characters spelled otherwise and something inserted. */
const disguised = fc
  .record({
    target: fc.constantFrom(...internalPaths),
    prefix: fc.constantFrom('service', 'none', 'double'),
    spelling: fc.array(fc.tuple(fc.nat(60), fc.nat(spellings.length - 1)), { maxLength: 4 }),
    inserted: fc.array(fc.tuple(fc.nat(60), fc.constantFrom(...insertions)), { maxLength: 3 }),
  })
  .map(({ target: { service, path }, prefix, spelling, inserted }) => {
    const characters = [...path]
    for (const [at, how] of spelling) {
      const index = at % characters.length
      if (characters[index]!.length === 1) characters[index] = spellings[how]!(characters[index]!)
    }
    for (const [at, what] of inserted) characters.splice(at % (characters.length + 1), 0, what)
    const start = { service: `/${service}`, none: '', double: `/${service}/${service}` }[prefix]
    return start + characters.join('')
  })

test('whatever the gateway forwards reaches no internal handler of any service', async () => {
  let forwarded = 0
  await fc.assert(
    fc.asyncProperty(
      disguised,
      fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
      async (path, method) => {
        // The gateway sees the path of a parsed URL; a raw path is stricter still.
        const parsed = URL.canParse(`http://gateway${path}`)
          ? new URL(`http://gateway${path}`).pathname
          : path
        for (const pathname of new Set([path, parsed])) {
          const target = resolveTarget(pathname)
          if (!target) continue
          forwarded++
          const route = await routeOf(target.service, target.path, method)
          expect(isInternal(route ?? ''), `${path} reached ${route}`).toBe(false)
        }
      },
    ),
    { numRuns: 10_000 },
  )
  expect(forwarded).toBeGreaterThan(0)
})
