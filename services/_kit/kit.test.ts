import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConfigError, KitConfig, parseConfig } from './config.ts'
import { Fault, toFault } from './fault.ts'
import { canonicalJson, sha256Hex } from './hash.ts'
import { newId } from './ids.ts'
import { accepts, keyId, weakness } from './keys.ts'
import { errorFields } from './log.ts'
import { makeMetrics } from './metrics.ts'

describe('ids', () => {
  test('ids are unique UUIDv7 in ascending order', () => {
    const ids = Array.from({ length: 20_000 }, () => newId())
    expect(new Set(ids).size).toBe(ids.length)
    expect([...ids].sort()).toEqual(ids)
    for (const id of ids.slice(0, 100)) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })

  test('ids ascend even when the clock goes back', () => {
    const first = newId(Date.now() + 5_000)
    expect(newId(Date.now()) > first).toBe(true)
  })
})

describe('sha256Hex', () => {
  test('a text has the digest of its UTF-8 bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
        expect(await sha256Hex(text)).toBe(Buffer.from(bytes).toString('hex'))
      }),
    )
    expect(await sha256Hex('\ud800')).toBe(await sha256Hex('\ufffd'))
  })
})

describe('keys', () => {
  const keys = { current: 'current-key', accepted: ['older-key', 'newer-key'] }

  test('only the current and the additional keys are accepted', () => {
    for (const key of ['current-key', 'older-key', 'newer-key'])
      expect(accepts(keys, key)).toBe(true)
    fc.assert(
      fc.property(fc.string(), (candidate) => {
        fc.pre(!['current-key', 'older-key', 'newer-key'].includes(candidate))
        expect(accepts(keys, candidate)).toBe(false)
      }),
    )
    for (const candidate of ['', 'current-ke', 'current-key ', 'current-keycurrent-key']) {
      expect(accepts(keys, candidate)).toBe(false)
    }
    expect(accepts({ current: '', accepted: [] }, '')).toBe(false)
  })

  test('the public id of a key is twelve digits of its hash', async () => {
    expect(await keyId('current-key')).toBe((await sha256Hex('current-key')).slice(0, 12))
  })

  test('well-known keys are weak', () => {
    for (const key of ['', 'changeme', 'CHANGEME', 'short', '<INTERNAL_API_KEY>']) {
      expect(weakness(key)).not.toBeNull()
    }
    expect(weakness('0123456789abcdef0123456789abcdef')).toBeNull()
  })
})

describe('configuration', () => {
  test('an invalid configuration reports all issues at once', () => {
    const env = { ENVIRONMENT: 'moon', AI_BOOT_OPENAPI_ENABLED: 'perhaps' }
    const parse = () => parseConfig(KitConfig, env)
    expect(parse).toThrow(ConfigError)
    expect(parse).toThrow(/ENVIRONMENT[\s\S]*AI_BOOT_OPENAPI_ENABLED/)
  })

  test('an empty variable counts as unset unless empty is a valid value', () => {
    const config = parseConfig(KitConfig, {
      AI_BOOT_OPENAPI_ENABLED: '',
      AI_BOOT_OPENAPI_EXCLUDE_PATH_PREFIXES: '',
    })
    expect(config.AI_BOOT_OPENAPI_ENABLED).toBeUndefined()
    expect(config.AI_BOOT_OPENAPI_EXCLUDE_PATH_PREFIXES).toBe('')
  })

  test('NODE_ENV sets the environment when ENVIRONMENT is unset', () => {
    expect(parseConfig(KitConfig, { NODE_ENV: 'production' }).ENVIRONMENT).toBe('production')
    const both = { NODE_ENV: 'production', ENVIRONMENT: 'staging' }
    expect(parseConfig(KitConfig, both).ENVIRONMENT).toBe('staging')
  })
})

describe('faults', () => {
  test('an unexpected error reveals no details', () => {
    const fault = toFault(new Error('select * from secrets at 10.0.0.1'))
    expect(fault.toJSON()).toEqual({
      code: 'INTERNAL',
      message: expect.not.stringMatching(/select|10\.0/),
      data: null,
    })
  })

  test('database errors are mapped to faults of the API contract', () => {
    const from = (code: string) => toFault(Object.assign(new Error('x'), { code })).code
    expect(from('23505')).toBe('CONFLICT')
    expect(from('53300')).toBe('UPSTREAM_UNAVAILABLE')
    expect(from('ECONNREFUSED')).toBe('UPSTREAM_UNAVAILABLE')
    expect(from('42P01')).toBe('INTERNAL')
  })

  test('a fault is returned unchanged', () => {
    const fault = new Fault('CONFLICT', 'busy', { code: 'TURN_IN_PROGRESS' })
    expect(toFault(fault)).toBe(fault)
    expect([fault.status, fault.code]).toEqual([409, 'TURN_IN_PROGRESS'])
  })

  test('a log line never contains the value that failed a query', () => {
    const thrown = Object.assign(new Error('invalid input syntax: "my secret"'), { code: '22P02' })
    expect(JSON.stringify(errorFields(thrown))).not.toContain('my secret')
  })
})

test('canonical JSON is equal for equal values in any notation', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const shuffled = JSON.parse(JSON.stringify(value), (_, member: unknown) =>
        member && typeof member === 'object' && !Array.isArray(member)
          ? Object.fromEntries(Object.entries(member).reverse())
          : member,
      )
      expect(canonicalJson(shuffled)).toBe(canonicalJson(value))
    }),
  )
})

test('metrics are written in the Prometheus text format', () => {
  const metrics = makeMetrics()
  metrics.count('requests_total', { route: '/a"b', status: '200' })
  metrics.count('requests_total', { route: '/a"b', status: '200' })
  metrics.gauge('jobs', { kind: 'x' }, 3)
  for (const ms of [0.5, 3, 20_000]) metrics.time('seconds', { route: '/a' }, ms)
  const text = metrics.text()
  expect(text).toContain(
    '# TYPE requests_total counter\nrequests_total{route="/a\\"b",status="200"} 2\n',
  )
  expect(text).toContain('jobs{kind="x"} 3\n')
  expect(text).toContain('seconds_bucket{route="/a",le="0.001"} 1\n')
  expect(text).toContain('seconds_bucket{route="/a",le="0.005"} 2\n')
  expect(text).toContain('seconds_bucket{route="/a",le="+Inf"} 3\n')
  expect(text).toContain('seconds_count{route="/a"} 3\n')
})
