import { expect, test } from 'vitest'
import { textLog } from './text-log.ts'

function collect(level = 'info') {
  const lines: string[] = []
  return { lines, log: textLog('memory-service', level, (line) => lines.push(line)) }
}

test('a line has the time, the service, the message and the fields', () => {
  const { lines, log } = collect()
  log.info({ request_id: 'r', method: 'GET', status: 200, reason: 'two words' }, 'request')
  expect(lines[0]).toMatch(
    /^\d\d:\d\d:\d\d memory-service {9}request method=GET status=200 reason="two words"$/,
  )
})

test('a warning names its level, an error has its stack, and a lower level is not written', () => {
  const { lines, log } = collect('warn')
  log.info({}, 'listening')
  log.warn({ code: 1 }, 'slow')
  log.error({ stack: 'Error: no\n    at f' }, 'INTERNAL')
  expect(lines.map((line) => line.slice(9).trim())).toEqual([
    'memory-service         WARN slow code=1',
    'memory-service         ERROR INTERNAL\nError: no\n    at f',
  ])
})

test('fields with secret names are redacted at any depth', () => {
  const { lines, log } = collect()
  log.info({ key: 'abc', body: { content: 'abc', size: 3 } }, 'request')
  expect(lines[0]).not.toMatch(/abc/)
  expect(lines[0]).toContain('key=[hidden] body={"content":"[hidden]","size":3}')
})

test('control characters do not reach the terminal', () => {
  const { lines, log } = collect()
  log.error(
    { path: '/\x1b[2J', name: '\x9b2J', stack: 'Error: \x1b]0;x\x07\n    at f' },
    'INTERNAL',
  )
  expect(lines[0]).not.toMatch(/(?!\n)\p{Cc}/u)
  expect(lines[0]).toContain('path="/\\u001b[2J" name="2J"\nError: ]0;x\n    at f')
})
