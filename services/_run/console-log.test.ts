import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { consoleLog } from './console-log.ts'

const lines: string[] = []
beforeEach(() => {
  lines.length = 0
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
})
afterEach(() => vi.restoreAllMocks())

test('a line is JSON with its level, its service and its fields', () => {
  consoleLog('memory-service').warn({ status: 409 }, 'request')
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: 'warn',
    service: 'memory-service',
    status: 409,
    msg: 'request',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
  })
})

test('a line below the log level is not written', () => {
  const countLines = (level: string) => {
    const log = consoleLog('memory-service', level)
    for (const write of [log.info, log.warn, log.error]) write({}, 'said')
    return lines.splice(0).length
  }
  expect(['debug', 'info', 'warn', 'error', 'silent'].map(countLines)).toEqual([3, 3, 2, 1, 0])
})

test('fields with secret names are redacted at any depth', () => {
  consoleLog('memory-service').info({ key: 'abc', body: { content: 'abc', size: 3 } }, 'request')
  expect(lines[0]).not.toMatch(/abc/)
  expect(JSON.parse(lines[0]!)).toMatchObject({ key: '[hidden]', body: { size: 3 } })
})
