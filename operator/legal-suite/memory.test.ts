import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nothingKnown } from '../desired/common.ts'
import { suiteOf } from '../testing/suites.ts'
import { makeRecall } from './recall.ts'
import { makeWanted } from './wanted.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('what a pass found', () => {
  const nothing = () => undefined
  const secret = (resourceVersion: string) => () => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'demo-internal-key', resourceVersion },
  })

  test('is known to the next one, until it is old', () => {
    const recall = makeRecall(60_000)
    const first = recall(suiteOf(), nothing)
    vi.advanceTimersByTime(59_999)
    expect(recall(suiteOf(), nothing)).toBe(first)
    vi.advanceTimersByTime(1)
    expect(recall(suiteOf(), nothing)).not.toBe(first)
  })

  test('is forgotten when somebody changes the suite, or a Secret that was made for it', () => {
    const recall = makeRecall(60_000)
    const first = recall(suiteOf(), secret('1'))
    const others = [
      () => recall(suiteOf({}, { generation: 2 }), secret('1')),
      () => recall(suiteOf({}, { annotations: { look: 'again' } }), secret('1')),
      () => recall(suiteOf(), secret('2')),
      () => recall(suiteOf({}, { uid: 'u-2' }), secret('1')),
    ]
    for (const other of others) expect(other()).not.toBe(first)
  })

  test('is not asked of a suite in vain: its status is no change', () => {
    const recall = makeRecall(60_000)
    const first = recall(suiteOf(), nothing)
    expect(recall({ ...suiteOf(), status: { phase: 'Ready' } }, nothing)).toBe(first)
  })
})

describe('the objects of a suite', () => {
  test('are made once, and anew when anything they are made of changes', () => {
    const wanted = makeWanted()
    const first = wanted(suiteOf(), nothingKnown)
    expect(wanted({ ...suiteOf(), status: {} }, nothingKnown)).toBe(first)
    expect(wanted(suiteOf({ version: '9' }), nothingKnown)).not.toEqual(first)
    const secrets = new Map([['db/url', 'hash']])
    expect(wanted(suiteOf(), { ...nothingKnown, secrets })).not.toEqual(first)
    const apis = new Set(['monitoring.coreos.com/v1'])
    expect(wanted(suiteOf(), { ...nothingKnown, apis })).not.toEqual(first)
    expect(wanted(suiteOf(), nothingKnown)).toEqual(first)
  })

  test('are kept of few suites: the one that was asked for longest ago goes first', () => {
    const wanted = makeWanted(2)
    const of = (uid: string) => wanted(suiteOf({}, { uid }), nothingKnown)
    const [one, two] = [of('1'), of('2')]
    expect(of('1')).toBe(one)
    of('3')
    expect(of('1')).toBe(one)
    expect(of('2')).not.toBe(two)
  })
})
