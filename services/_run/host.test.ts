import { expect, test } from 'vitest'
import { ConfigError } from '../_kit/config.ts'
import { notFound } from '../_kit/fault.ts'
import { describeStartError } from './host.ts'

const failure = (code: string) => Object.assign(new Error(`getaddrinfo ${code} db`), { code })

test.each([
  ['a refused connection', failure('ECONNREFUSED'), /^The database is not reachable/],
  ['a name that DNS does not know yet', failure('EAI_AGAIN'), /^The database is not reachable/],
  ['a database that starts', failure('57P03'), /^The database is starting/],
  ['a startup seed that does not exist', notFound('seed package x'), /seed package x/],
  ['a wrong setting', new ConfigError('PORT: too large'), /^PORT: too large$/],
])('%s is described in one line', (_case, error, expected) => {
  const line = describeStartError(error)
  expect(line).toMatch(expected)
  expect(line).not.toContain('\n')
})

test('an unexpected error is described with its stack', () => {
  expect(describeStartError(new TypeError('x'))).toMatch(/^TypeError: x\n {4}at /)
})
