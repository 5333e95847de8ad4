import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { makeCircuit } from './circuit.ts'
import { makeMetrics } from './metrics.ts'
import { makeClient, type Peer } from './peer.ts'

const keys = () => ({ current: 'the-current-key', accepted: ['an-older-key'] })
const envelope = (data: unknown) => Response.json({ code: 0, message: 'ok', data })
const Data = z.object({ n: z.number() })

/** A peer that returns the given responses in order and records its requests. */
function makeScriptedPeer(...responses: (() => Response | Promise<Response>)[]) {
  const requests: Request[] = []
  const peer: Peer = async (request) => {
    requests.push(request)
    return responses[Math.min(requests.length, responses.length) - 1]!()
  }
  return { peer, asked: requests, client: makeClient('matter-service', peer, keys, makeMetrics()) }
}
const down = () => Promise.reject(new Error('ECONNREFUSED'))
const busy = () =>
  Response.json({ code: 'UPSTREAM_UNAVAILABLE', message: 'busy', data: null }, { status: 503 })
const missing = () =>
  Response.json({ code: 'MATTER_GONE', message: 'gone', data: { id: 1 } }, { status: 404 })

describe('request to a peer', () => {
  test('a request has the current key, the request id, the trace and the caller', async () => {
    const { client, asked: requests } = makeScriptedPeer(() => envelope({ n: 1 }))
    const headers = new Headers({ 'x-user-id': '7', 'x-organization-id': 'acme', cookie: 'secret' })
    const from = { headers, requestId: 'r-1', traceparent: '00-a-b-01' }
    expect(await client.request(Data, '/x?y=1', { from })).toEqual({ n: 1 })
    const sent = Object.fromEntries(requests[0]!.headers)
    expect(sent).toEqual({
      'x-internal-api-key': 'the-current-key',
      'x-user-id': '7',
      'x-organization-id': 'acme',
      'x-request-id': 'r-1',
      traceparent: '00-a-b-01',
    })
    expect(new URL(requests[0]!.url).pathname + new URL(requests[0]!.url).search).toBe('/x?y=1')
  })

  test('a fault of the peer is passed on and not retried', async () => {
    const { client, asked: requests } = makeScriptedPeer(missing)
    await expect(client.request(Data, '/x')).rejects.toMatchObject({
      kind: 'NOT_FOUND',
      code: 'MATTER_GONE',
      message: 'gone',
      data: { id: 1 },
    })
    expect(requests).toHaveLength(1)
  })

  test('a key that the peer does not accept yet is an unavailable peer, not a fault of the request', async () => {
    const wrongKey = () =>
      Response.json({ code: 'UNAUTHENTICATED', message: 'no', data: null }, { status: 401 })
    const rotating = makeScriptedPeer(wrongKey, () => envelope({ n: 1 }))
    expect(await rotating.client.request(Data, '/x')).toEqual({ n: 1 })
    const { client, asked: requests } = makeScriptedPeer(wrongKey)
    const refused = { kind: 'UPSTREAM_UNAVAILABLE', status: 503, retryable: true }
    await expect(client.request(Data, '/x')).rejects.toMatchObject(refused)
    expect(requests).toHaveLength(3)
    await expect(client.stream('/x')).rejects.toMatchObject(refused)
  })

  test('only idempotent requests are retried', async () => {
    const read = makeScriptedPeer(down, busy, () => envelope({ n: 2 }))
    expect(await read.client.request(Data, '/x')).toEqual({ n: 2 })
    const write = makeScriptedPeer(down, () => envelope({ n: 2 }))
    await expect(
      write.client.request(Data, '/x', { method: 'POST', body: {} }),
    ).rejects.toMatchObject({
      kind: 'UPSTREAM_UNAVAILABLE',
    })
    expect(write.asked).toHaveLength(1)
    const safeWrite = makeScriptedPeer(down, () => envelope({ n: 3 }))
    const question = { method: 'POST', body: {}, idempotent: true } as const
    expect(await safeWrite.client.request(Data, '/x', question)).toEqual({ n: 3 })
  })

  test('a timeout, a missing envelope or invalid data gives 503', async () => {
    const never = makeScriptedPeer(() => new Promise<Response>(() => {}))
    const late = { method: 'POST', deadlineMs: 20 } as const
    await expect(never.client.request(Data, '/x', late)).rejects.toMatchObject({ status: 503 })
    const html = makeScriptedPeer(() => new Response('<html>'))
    await expect(html.client.request(Data, '/x')).rejects.toMatchObject({ status: 503 })
    const other = makeScriptedPeer(() => envelope({ n: 'one' }))
    await expect(other.client.request(Data, '/x')).rejects.toMatchObject({ status: 503 })
  })

  test('an open circuit sends no request until its delay has passed', async () => {
    let now = 0
    let alive = false
    let requests = 0
    const peer: Peer = () => {
      requests++
      return alive ? envelope({ n: 1 }) : down()
    }
    const circuit = makeCircuit(2, 1_000, () => now)
    const client = makeClient('matter-service', peer, keys, makeMetrics(), circuit)
    const send = () => client.request(Data, '/x', { method: 'POST' })
    for (let i = 0; i < 5; i++) await expect(send()).rejects.toMatchObject({ status: 503 })
    expect(requests).toBe(2)
    alive = true
    now = 1_001
    expect(await send()).toEqual({ n: 1 })
  })

  test('a streamed response is passed on unread, and a fault is thrown', async () => {
    const streamed = makeScriptedPeer(
      () => new Response('a line\n', { headers: { 'x-run-id': 'r' } }),
    )
    const response = await streamed.client.stream('/x', { method: 'POST', body: {} })
    expect(response.headers.get('x-run-id')).toBe('r')
    expect(await response.text()).toBe('a line\n')
    await expect(makeScriptedPeer(missing).client.stream('/x')).rejects.toMatchObject({
      code: 'MATTER_GONE',
    })
    const silent = makeScriptedPeer(down)
    await expect(silent.client.stream('/x')).rejects.toMatchObject({ kind: 'UPSTREAM_UNAVAILABLE' })
    expect(silent.asked).toHaveLength(1)
  })
})
