import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../tests/support/databases.ts'
import { silent } from '../_kit/log.ts'
import { makeMetrics } from '../_kit/metrics.ts'
import gateway from './service.ts'

type Fetch = (request: Request) => Response | Promise<Response>
const people = ['sample-client', 'sample-lawyer', 'sample-administrator']

let database: Database
let replicas: Fetch[]
beforeAll(async () => {
  database = await newDatabase('postgres')
  const start = () =>
    gateway.start({
      env: {
        ...{ ENVIRONMENT: 'test', HOST: '127.0.0.1' },
        ...{ GATEWAY_RATE_USER: '1000000', GATEWAY_RATE_TOKEN: '1000000' },
        GATEWAY_RATE_ADDRESS: '1000000',
      },
      database: database.driver,
      peers: () => async (request) =>
        Response.json({ code: 0, message: 'ok', data: request.headers.get('x-user-id') }),
      log: silent,
      metrics: makeMetrics(),
      runtime: 'node',
      version: '0',
    }).fetch
  replicas = [start(), start()]
})
afterAll(() => database.drop())

interface Credential {
  person: string
  headers: Record<string, string>
  /** Ends the credential on a replica. */
  end(on: Fetch): Promise<unknown>
  endedOn?: Fetch
}

const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!
const send = async (on: Fetch, path: string, init: RequestInit = {}) => {
  const response = await on(new Request(`http://127.0.0.1${path}`, init))
  const body = (await response.json()) as { data: any }
  return { status: response.status, headers: response.headers, data: body.data }
}
const post = (body: unknown, headers = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

async function signIn(on: Fetch): Promise<Credential> {
  const person = any(people)
  const { headers, data } = await send(on, '/auth/local', post({ person }))
  const own = { cookie: headers.get('set-cookie')!.split(';')[0]!, 'x-csrf-token': data.csrf }
  return { person, headers: own, end: (on) => send(on, '/auth/logout', post({}, own)) }
}

/** A token that a new session creates. Its session stays. */
async function createToken(on: Fetch): Promise<Credential> {
  const { person, headers } = await signIn(on)
  const { data } = await send(on, '/auth/tokens', post({ name: 't', scopes: ['*'] }, headers))
  return {
    person,
    headers: { authorization: `Bearer ${data.token}` },
    end: (on) => send(on, `/auth/tokens/${data.id}`, { method: 'DELETE', headers }),
  }
}

const use = (on: Fetch, { headers }: Credential) =>
  send(on, '/matter-service/api/v1/matters', { headers })

test('under churn on two replicas no credential acts for another person, and none after its end', async () => {
  const live: Credential[] = []
  const ended: Credential[] = []
  let requests = 0

  async function act() {
    requests++
    const dice = Math.random()
    const on = any(replicas)
    if (live.length < 20 || dice < 0.05) return void live.push(await signIn(on))
    if (dice < 0.08) return void live.push(await createToken(on))
    if (dice < 0.16) {
      const [credential] = live.splice(Math.floor(Math.random() * live.length), 1)
      await credential!.end(on)
      credential!.endedOn = on
      ended.push(credential!)
      return
    }
    if (dice < 0.3 && ended.length > 0) {
      const credential = any(ended)
      // The replica that ended a credential refuses it at once; the other one within a second.
      expect((await use(credential.endedOn!, credential)).status).toBe(401)
      const { status, data } = await use(on, credential)
      if (status === 200) expect(data).toBe(credential.person)
      return
    }
    const credential = any(live)
    const { status, data } = await use(on, credential)
    if (status === 200) expect(data).toBe(credential.person)
    else expect(credential.endedOn ?? live.includes(credential)).not.toBe(true)
  }

  const client = async () => {
    for (let i = 0; i < 500; i++) await act()
  }
  await Promise.all(Array.from({ length: 8 }, client))
  expect(requests).toBe(4_000)
  expect(ended.length).toBeGreaterThan(100)

  await pause(1_000)
  for (const on of replicas) {
    for (const credential of ended) expect((await use(on, credential)).status).toBe(401)
    for (const credential of live) {
      expect(await use(on, credential)).toMatchObject({ status: 200, data: credential.person })
    }
  }
})

test('a credential that is altered or of another kind is refused', async () => {
  const session = await signIn(replicas[0]!)
  const token = await createToken(replicas[0]!)
  const cookie = session.headers.cookie!
  const value = cookie.split('=')[1]!
  const secret = token.headers.authorization!.slice('Bearer '.length)
  for (const headers of [
    { cookie: `${cookie}x` },
    { cookie: cookie.slice(0, -1) },
    { cookie: cookie.replace('=', '=x') },
    { cookie: `legal_suite=${secret}` },
    { authorization: `Bearer ${value}` },
    { authorization: `Bearer ${secret}x` },
    { authorization: `Bearer ${secret.toUpperCase()}` },
    { authorization: `Bearer ${secret}, Bearer ${secret}` },
  ] as Record<string, string>[]) {
    for (const on of replicas) {
      expect((await send(on, '/matter-service/api/v1/matters', { headers })).status).toBe(401)
    }
  }
})
