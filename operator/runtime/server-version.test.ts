import { expect, test } from 'vitest'
import { silent } from '../../services/_kit/log.ts'
import { requireServerVersion, UnsupportedVersionError } from './server-version.ts'
import type { Transport } from './transport.ts'

const minimum = { major: 1, minor: 30 }

async function check(status: number, body: string) {
  const warnings: string[] = []
  const log = { ...silent, warn: (_: object, message: string) => void warnings.push(message) }
  const transport: Transport = async ({ path }) => {
    expect(path).toBe('/version')
    const content = async function* () {
      yield Buffer.from(body)
    }
    return { status, headers: {}, body: content() }
  }
  await requireServerVersion(transport, minimum, log)
  return warnings
}

const version = (major: string, minor: string) => JSON.stringify({ major, minor })

test.each([
  ['1', '30'],
  ['1', '30+'],
  ['1', '36'],
  ['2', '0'],
])('server version %s.%s is accepted', async (major, minor) => {
  expect(await check(200, version(major, minor))).toEqual([])
})

test.each([
  ['1', '29'],
  ['1', '29+'],
  ['1', '9'],
  ['0', '31'],
])('server version %s.%s is rejected with the minimum version', async (major, minor) => {
  const checked = check(200, version(major, minor))
  await expect(checked).rejects.toThrow(UnsupportedVersionError)
  await expect(checked).rejects.toThrow('The operator requires 1.30 or later.')
})

test.each([
  [403, version('1', '20')],
  [503, 'overloaded'],
  [200, 'not JSON'],
  [200, '{}'],
])('a response %i %s is a warning', async (status, body) => {
  expect(await check(status, body)).toEqual(['server version unknown'])
})

test('a server that does not respond is a warning', async () => {
  const silentServer: Transport = ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const warnings: string[] = []
  const log = { ...silent, warn: (_: object, message: string) => void warnings.push(message) }
  await requireServerVersion(silentServer, minimum, log, 50)
  expect(warnings).toEqual(['server version unknown'])
})
