import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** What the server does with one request. */
export interface Turn {
  /** Words, one event each. */
  say?: string | string[]
  call?: { name: string; arguments: unknown; id?: string }[]
  /** JSON as the whole answer's text: what structured output looks like. */
  json?: unknown
  /** Another status than 200; nothing is said then. */
  status?: number
  headers?: Record<string, string>
  /** The body as it is, instead of events. */
  raw?: string
  /** Before the first byte, and between events. */
  waitMs?: number
  betweenMs?: number
  /** After so many events the connection is torn, or falls silent. */
  cutAfter?: number
  silentAfter?: number
  /** Does not stream, whatever it is asked. */
  whole?: boolean
  usage?: { prompt_tokens: unknown; completion_tokens: unknown } | null
  /** Goes on for ever with this. */
  endless?: string
}

export interface ScriptedModel {
  /** For AI_BASE_URL. */
  baseUrl: string
  /** Bodies of the requests, oldest first. */
  requests: any[]
  /** Headers of the requests. */
  headers: Record<string, string | string[] | undefined>[]
  /** What it does from now on, one turn a request; the last turn is repeated. */
  script(...turns: Turn[]): void
  close(): Promise<void>
}

/** An OpenAI-compatible server on loopback that does what a test tells it to. */
export async function scriptedModel(...first: Turn[]): Promise<ScriptedModel> {
  let turns = first
  const requests: any[] = []
  const headers: ScriptedModel['headers'] = []
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}')
      return
    }
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    requests.push(JSON.parse(body))
    headers.push(request.headers)
    const turn = turns.length > 1 ? turns.shift()! : (turns[0] ?? {})
    await play(turn, response).catch(() => response.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    headers,
    script(...next) {
      turns = next
      requests.length = 0
      headers.length = 0
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

async function play(turn: Turn, response: ServerResponse) {
  if (turn.waitMs) await wait(turn.waitMs)
  if (turn.status) {
    response.writeHead(turn.status, turn.headers).end(turn.raw ?? '{"error":{"message":"no"}}')
    return
  }
  if (turn.whole) {
    const json = { 'content-type': 'application/json', ...turn.headers }
    response.writeHead(200, json).end(JSON.stringify(wholeAnswer(turn)))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...turn.headers })
  if (turn.raw !== undefined) {
    response.end(turn.raw)
    return
  }
  while (turn.endless !== undefined && !response.destroyed) await send(response, turn.endless)
  let sent = 0
  for (const event of eventsOf(turn)) {
    if (sent === turn.cutAfter) {
      // What was sent still arrives.
      response.socket?.destroySoon()
      return
    }
    if (sent === turn.silentAfter) return
    if (sent > 0 && turn.betweenMs) await wait(turn.betweenMs)
    await send(response, `data: ${event}\n\n`)
    sent++
  }
  response.end()
}

/** Waits where the reader is slower than we are. */
async function send(response: ServerResponse, text: string) {
  if (response.write(text)) return
  const settled = new AbortController()
  const { signal } = settled
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })])
  settled.abort()
}

const wordsOf = ({ say = [], json }: Turn) =>
  json !== undefined ? [JSON.stringify(json)] : typeof say === 'string' ? [say] : say

const counted = (turn: Turn) =>
  turn.usage === null ? {} : { usage: turn.usage ?? { prompt_tokens: 11, completion_tokens: 7 } }

const callsOf = ({ call = [] }: Turn) =>
  call.map(({ name, id, arguments: input }, index) => ({
    index,
    id: id ?? `call_${index}`,
    type: 'function',
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }))

function eventsOf(turn: Turn): string[] {
  const chunk = (choice: object) =>
    JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })
  const calls = callsOf(turn).flatMap(
    ({ index, id, type, function: { name, arguments: input } }) => [
      chunk({ delta: { tool_calls: [{ index, id, type, function: { name, arguments: '' } }] } }),
      ...(input.match(/[\s\S]{1,8}/g) ?? []).map((piece) =>
        chunk({ delta: { tool_calls: [{ index, function: { arguments: piece } }] } }),
      ),
    ],
  )
  return [
    ...wordsOf(turn).map((content) => chunk({ delta: { content } })),
    ...calls,
    chunk({ delta: {}, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }),
    ...(turn.usage === null ? [] : [JSON.stringify({ choices: [], ...counted(turn) })]),
    '[DONE]',
  ]
}

const wholeAnswer = (turn: Turn) => ({
  choices: [
    {
      message: { role: 'assistant', content: wordsOf(turn).join(''), tool_calls: callsOf(turn) },
      finish_reason: 'stop',
    },
  ],
  ...counted(turn),
})
