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
  test('are UUIDv7, all different, and rise in the order they were made', () => {
    const ids = Array.from({ length: 20_000 }, () => newId())
    expect(new Set(ids).size).toBe(ids.length)
    expect([...ids].sort()).toEqual(ids)
    for (const id of ids.slice(0, 100)) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })

  test('rise even when the clock goes back', () => {
    const first = newId(Date.now() + 5_000)
    expect(newId(Date.now()) > first).toBe(true)
  })
})

describe('keys', () => {
  const keys = { current: 'current-key', accepted: ['older-key', 'newer-key'] }

  test('the current and the further ones are accepted, nothing else is', () => {
    for (const key of ['current-key', 'older-key', 'newer-key'])
      expect(accepts(keys, key)).toBe(true)
    fc.assert(
      fc.property(fc.string(), (given) => {
        fc.pre(!['current-key', 'older-key', 'newer-key'].includes(given))
        expect(accepts(keys, given)).toBe(false)
      }),
    )
    for (const given of ['', 'current-ke', 'current-key ', 'current-keycurrent-key']) {
      expect(accepts(keys, given)).toBe(false)
    }
    expect(accepts({ current: '', accepted: [] }, '')).toBe(false)
  })

  test('are named in public by twelve digits of their hash', async () => {
    expect(await keyId('current-key')).toBe((await sha256Hex('current-key')).slice(0, 12))
  })

  test('that everybody knows are weak', () => {
    for (const key of ['', 'changeme', 'CHANGEME', 'short', '<INTERNAL_API_KEY>']) {
      expect(weakness(key)).not.toBeNull()
    }
    expect(weakness('0123456789abcdef0123456789abcdef')).toBeNull()
  })
})

describe('configuration', () => {
  test('everything that is wrong is said at once', () => {
    const env = { ENVIRONMENT: 'moon', AI_BOOT_OPENAPI_ENABLED: 'perhaps' }
    const parse = () => parseConfig(KitConfig, env)
    expect(parse).toThrow(ConfigError)
    expect(parse).toThrow(/ENVIRONMENT[\s\S]*AI_BOOT_OPENAPI_ENABLED/)
  })

  test('an empty variable is an unset one, but where empty means something', () => {
    const config = parseConfig(KitConfig, {
      AI_BOOT_OPENAPI_ENABLED: '',
      AI_BOOT_OPENAPI_EXCLUDE_PATH_PREFIXES: '',
    })
    expect(config.AI_BOOT_OPENAPI_ENABLED).toBeUndefined()
    expect(config.AI_BOOT_OPENAPI_EXCLUDE_PATH_PREFIXES).toBe('')
  })

  test('NODE_ENV says where we are when ENVIRONMENT does not', () => {
    expect(parseConfig(KitConfig, { NODE_ENV: 'production' }).ENVIRONMENT).toBe('production')
    const both = { NODE_ENV: 'production', ENVIRONMENT: 'staging' }
    expect(parseConfig(KitConfig, both).ENVIRONMENT).toBe('staging')
  })
})

describe('faults', () => {
  test('what was not foreseen says nothing of itself', () => {
    const fault = toFault(new Error('select * from secrets at 10.0.0.1'))
    expect(fault.toJSON()).toEqual({
      code: 'INTERNAL',
      message: expect.not.stringMatching(/select|10\.0/),
      data: null,
    })
  })

  test('what the database says is told in the words of the contract', () => {
    const from = (code: string) => toFault(Object.assign(new Error('x'), { code })).code
    expect(from('23505')).toBe('CONFLICT')
    expect(from('53300')).toBe('UPSTREAM_UNAVAILABLE')
    expect(from('ECONNREFUSED')).toBe('UPSTREAM_UNAVAILABLE')
    expect(from('42P01')).toBe('INTERNAL')
  })

  test('a fault of ours stays what it is', () => {
    const fault = new Fault('CONFLICT', 'busy', { code: 'TURN_IN_PROGRESS' })
    expect(toFault(fault)).toBe(fault)
    expect([fault.status, fault.code]).toEqual([409, 'TURN_IN_PROGRESS'])
  })

  test('a log line never quotes the value a query choked on', () => {
    const thrown = Object.assign(new Error('invalid input syntax: "my secret"'), { code: '22P02' })
    expect(JSON.stringify(errorFields(thrown))).not.toContain('my secret')
  })
})

test('canonical JSON is the same for equal values, however they were written', () => {
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

test('metrics are written as Prometheus reads them', () => {
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
