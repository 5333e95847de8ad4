import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import gateway from './service.ts'

const scimToken = 'a-token-of-the-directory-for-tests-only'
const encoder = new TextEncoder()
/** People whose stream ended at the service. */
const left: string[] = []
const sources: { controller: ReadableStreamDefaultController<Uint8Array>; user: string }[] = []

/** A service whose streams stay open. */
const endless = async (request: Request) =>
  new Response(
    new ReadableStream<Uint8Array>({
      start(controller) {
        sources.push({ controller, user: request.headers.get('x-user-id')! })
        controller.enqueue(encoder.encode(': open\n\n'))
      },
      cancel: () => void left.push(request.headers.get('x-user-id')!),
    }),
    { headers: { 'content-type': 'text/event-stream; charset=utf-8' } },
  )

let at: Stage
beforeAll(async () => {
  at = await stage(gateway, {
    env: { HOST: '127.0.0.1', SCIM_TOKEN: scimToken, SCIM_ORGANIZATION: 'sample-firm' },
    peers: { 'platform-service': endless, 'consultations-service': endless },
  })
})
afterAll(() => at.close())

const send = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  at.fetch(
    new Request(`http://127.0.0.1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )

async function signIn(person: string) {
  const response = await send('POST', '/auth/local', {}, { person })
  const { data } = (await response.json()) as any
  return {
    cookie: response.headers.get('set-cookie')!.split(';')[0]!,
    'x-csrf-token': data.csrf as string,
  }
}

/** Opens a stream and reads its first chunk. */
async function open(headers: Record<string, string>, path = '/api/v1/events') {
  const response = await send('GET', path, headers)
  expect(response.status).toBe(200)
  const reader = response.body!.getReader()
  expect((await reader.read()).done).toBe(false)
  return reader
}

test('an open stream ends when its session or token is revoked, and no other stream does', async () => {
  const [leaving, staying, administrator] = [
    await signIn('sample-client'),
    await signIn('sample-client'),
    await signIn('sample-administrator'),
  ]
  const created = await send('POST', '/auth/tokens', staying, { name: 't', scopes: ['*'] })
  const { id, token } = ((await created.json()) as any).data
  const turn =
    '/consultations-service/api/v1/consultations/sessions/0190a000-0000-7000-8000-000000000001/stream'
  const ending = [
    await open(leaving),
    await open(leaving, turn),
    await open({ authorization: `Bearer ${token}` }),
  ]
  const surviving = [await open(staying), await open(administrator)]
  expect((await send('POST', '/auth/logout', leaving)).status).toBe(200)
  expect((await send('DELETE', `/auth/tokens/${id}`, staying)).status).toBe(200)
  expect(
    (await Promise.all(ending.map((reader) => reader.read()))).map(({ done }) => done),
  ).toEqual([true, true, true])
  for (const { controller } of sources.slice(-2)) controller.enqueue(encoder.encode('data: 1\n\n'))
  for (const reader of surviving) {
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: 1\n\n')
    await reader.cancel()
  }
})

test('when a client leaves, its stream ends at the service', async () => {
  const [lawyer, client] = [await signIn('sample-lawyer'), await signIn('sample-client')]
  const [leaving, staying] = [await open(lawyer), await open(client)]
  left.length = 0
  await leaving.cancel()
  // Streams of services send heartbeats. On workerd a client that left is noticed with the next one.
  const { controller } = sources.at(-2)!
  const beat = () => {
    if (left.length === 0) controller.enqueue(encoder.encode(': heartbeat\n\n'))
    return left
  }
  await expect.poll(beat, { timeout: 15_000 }).toEqual(['sample-lawyer'])
  sources.at(-1)!.controller.enqueue(encoder.encode('data: 2\n\n'))
  expect((await staying.read()).done).toBe(false)
  await staying.cancel()
})

test('open streams end when a directory removes the person or the rights change', async () => {
  const [lawyer, client] = [await signIn('sample-lawyer'), await signIn('sample-client')]
  const streams = [await open(lawyer), await open(client)]
  const scim = { authorization: `Bearer ${scimToken}` }
  const user = { userName: 'sample-lawyer', active: false }
  expect((await send('POST', '/scim/v2/Users', scim, user)).status).toBe(201)
  await at.sql`
    update gateway.people set identity = identity || '{"user_type": "lawyer"}'
    where user_id = 'sample-client'`
  expect(
    (await Promise.all(streams.map((reader) => reader.read()))).map(({ done }) => done),
  ).toEqual([true, true])
  expect((await send('GET', '/api/v1/events', lawyer)).status).toBe(401)
  const again = await open(client)
  await again.cancel()
})
