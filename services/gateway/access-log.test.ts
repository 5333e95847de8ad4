import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../tests/support/databases.ts'
import type { Log } from '../_kit/log.ts'
import { makeMetrics } from '../_kit/metrics.ts'
import gateway from './service.ts'

const lines: object[] = []
const write = (fields: object, message: string) => void lines.push({ ...fields, message })
const log: Log = { info: write, warn: write, error: write }

let database: Database
let fetch: (request: Request, address?: string) => Response | Promise<Response>
beforeAll(async () => {
  database = await newDatabase('pglite')
  fetch = gateway.start({
    env: { ENVIRONMENT: 'test', HOST: '127.0.0.1' },
    database: database.driver,
    peers: () => async () => Response.json({ code: 0, message: 'ok', data: null }),
    log,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  }).fetch
})
afterAll(() => database.drop())

test('a log line names person, address and path, and no secret of the request', async () => {
  const signIn = await fetch(
    new Request('http://127.0.0.1/auth/local', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"person":"sample-lawyer"}',
    }),
    '192.0.2.1',
  )
  const cookie = signIn.headers.get('set-cookie')!.split(';')[0]!
  const secret = 'lst_verysecretverysecretverysecret'
  const jwt = `eyJhbGciOiJub25lIn0.${'a'.repeat(40)}.sig`
  for (const path of [
    `/matter-service/api/v1/matters/7?access_token=${secret}`,
    `/files-service/api/v1/files/x/content?signature=${secret}`,
    `/auth/callback?code=${secret}&state=${secret}`,
    `/matter-service/api/v1/matters/${secret}`,
    `/matter-service/api/v1/matters/${jwt}`,
  ]) {
    await fetch(new Request(`http://127.0.0.1${path}`, { headers: { cookie } }), '192.0.2.1')
  }
  const headers = { authorization: `Bearer ${secret}` }
  await fetch(new Request('http://127.0.0.1/auth/me', { headers }), '192.0.2.1')

  const text = JSON.stringify(lines)
  expect(lines.length).toBeGreaterThanOrEqual(7)
  for (const hidden of [secret, jwt, cookie.split('=')[1]!]) expect(text).not.toContain(hidden)
  expect(lines).toContainEqual(
    expect.objectContaining({
      path: '/matter-service/api/v1/matters/7',
      user: 'sample-lawyer',
      organization: 'sample-firm',
      address: '192.0.2.1',
      status: 200,
    }),
  )
})
