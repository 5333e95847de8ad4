import fc from 'fast-check'
import { expect, test } from 'vitest'
import { services } from '../_run/services.ts'
import { resolveTarget, serviceNames } from './target.ts'

test('a path with a service name is forwarded without it', () => {
  expect(resolveTarget('/matter-service/api/v1/matters')).toEqual({
    service: 'matter-service',
    path: '/api/v1/matters',
  })
  expect(resolveTarget('/api/v1/configs/matters.service_types')?.service).toBe('platform-service')
  expect(resolveTarget('/platform-service/api/v1/configs/%E6%B3%95')?.path).toBe(
    '/api/v1/configs/%E6%B3%95',
  )
})

test.each([
  '/memory-service/api/v1/internal/memory/facts',
  '/memory-service/api/v1/Internal/memory/facts',
  '/memory-service/api/v1/%69nternal/memory/facts',
  '/memory-service/api/v1/%2569nternal/memory/facts',
  '/memory-service/api/v1/internal%2Fmemory/facts',
  '/memory-service/api/v1/internal;x=1/memory/facts',
  '/memory-service/api/v1/internal.',
  '/memory-service/api/v1/internal%20',
  '/memory-service/api/v1/internal%00/x',
  '/memory-service/api/v1/ｉnternal/x',
  '/memory-service/api/v1/%EF%BD%89nternal/x',
  '/memory-service/api/v1//internal/x',
  '/memory-service//api/v1/internal/x',
  '/memory-service/api/v1/./internal/x',
  '/memory-service/api/v1/a/../internal/x',
  '/memory-service/api/v1/a/%2e%2e/internal/x',
  '/memory-service/api/v1/a/%2E./internal/x',
  '/memory-service/api/v1\\internal\\x',
  '/memory-service/api/v1/%5cinternal/x',
  '/memory-service/api/%76%31/internal/x',
  '/memory-service/API/v1/internal/x',
  '/collector-service/internal/collector/sources',
  '/collector-service/api/v1',
  '/api/v1/internal/platform/audit-logs',
  '/internal/x',
  '//evil/api/v1/x',
  '/unknown-service/api/v1/x',
  '/gateway/api/v1/x',
  '',
])('%s is not forwarded', (path) => {
  expect(resolveTarget(path)).toBeUndefined()
})

/** Every way in which some router might read a path. */
function readings(path: string): string[] {
  const decoded = [path]
  for (let i = 0; i < 3; i++) {
    try {
      decoded.push(decodeURIComponent(decoded.at(-1)!))
    } catch {
      break
    }
  }
  return decoded.flatMap((each) => [
    each,
    new URL(each.replaceAll('\\', '/'), 'http://h').pathname,
    each.replace(/\/+/g, '/').replace(/;[^/]*/g, ''),
    each.toLowerCase(),
  ])
}

test('whatever is forwarded reaches no internal route of any service in any reading', () => {
  const internalRoutes = services
    .flatMap(({ endpoints }) => endpoints)
    .filter(({ path }) => /^(\/api\/v1)?\/internal\//.test(path))
  expect(internalRoutes.length).toBeGreaterThan(50)
  const piece = fc.constantFrom(
    ...[
      'api',
      'v1',
      'internal',
      'Internal',
      '%69nternal',
      'internal%2f',
      '.',
      '..',
      '%2e%2e',
      '',
      ';',
      '%5c',
    ],
    ...[
      'memory',
      'facts',
      'actuator',
      'health',
      'sessions',
      '%25',
      'a\\b',
      'internal.',
      '%00',
      '\u212A',
    ],
  )
  const paths = fc
    .tuple(
      fc.constantFrom(...serviceNames, 'api', ''),
      fc.array(piece, { maxLength: 7 }),
      fc.constantFrom('/', '//', '\\'),
    )
    .map(([first, rest, separator]) => `/${[first, ...rest].join(separator)}`)
  fc.assert(
    fc.property(paths, (path) => {
      const target = resolveTarget(path)
      if (!target) return
      for (const reading of readings(target.path)) {
        expect(reading, path).not.toMatch(/^(\/api\/v1)?\/+internal(\/|$|[^a-z])/i)
      }
    }),
    { numRuns: 20_000 },
  )
})
