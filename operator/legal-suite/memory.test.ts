import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { noFacts } from '../desired/common.ts'
import { buildSuite } from '../testing/suites.ts'
import { makeDesiredCache } from './desired-cache.ts'
import { makeReadCache } from './read-cache.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('read cache', () => {
  const lookUpNothing = () => undefined
  const secret = (resourceVersion: string) => () => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'demo-internal-key', resourceVersion },
  })

  test('reads are cached until they expire', () => {
    const recall = makeReadCache(60_000)
    const first = recall(buildSuite(), lookUpNothing)
    vi.advanceTimersByTime(59_999)
    expect(recall(buildSuite(), lookUpNothing)).toBe(first)
    vi.advanceTimersByTime(1)
    expect(recall(buildSuite(), lookUpNothing)).not.toBe(first)
  })

  test('a change of the suite or of a generated Secret invalidates the cache', () => {
    const recall = makeReadCache(60_000)
    const first = recall(buildSuite(), secret('1'))
    const others = [
      () => recall(buildSuite({}, { generation: 2 }), secret('1')),
      () => recall(buildSuite({}, { annotations: { look: 'again' } }), secret('1')),
      () => recall(buildSuite(), secret('2')),
      () => recall(buildSuite({}, { uid: 'u-2' }), secret('1')),
    ]
    for (const other of others) expect(other()).not.toBe(first)
  })

  test('a status update does not invalidate the cache', () => {
    const recall = makeReadCache(60_000)
    const first = recall(buildSuite(), lookUpNothing)
    expect(recall({ ...buildSuite(), status: { phase: 'Ready' } }, lookUpNothing)).toBe(first)
  })
})

describe('desired cache', () => {
  test('objects are built once per input', () => {
    const desiredCache = makeDesiredCache()
    const first = desiredCache(buildSuite(), noFacts)
    expect(desiredCache({ ...buildSuite(), status: {} }, noFacts)).toBe(first)
    expect(desiredCache(buildSuite({ version: '9' }), noFacts)).not.toEqual(first)
    const secrets = new Map([['db/url', 'hash']])
    expect(desiredCache(buildSuite(), { ...noFacts, secrets })).not.toEqual(first)
    expect(desiredCache(buildSuite(), { ...noFacts, operatorNamespace: 'other' })).not.toEqual(
      first,
    )
    expect(desiredCache(buildSuite(), noFacts)).toEqual(first)
  })

  test('the least recently used suite is evicted', () => {
    const desiredCache = makeDesiredCache(2)
    const of = (uid: string) => desiredCache(buildSuite({}, { uid }), noFacts)
    const [one, two] = [of('1'), of('2')]
    expect(of('1')).toBe(one)
    of('3')
    expect(of('1')).toBe(one)
    expect(of('2')).not.toBe(two)
  })
})
