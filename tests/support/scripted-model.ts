import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** Scripted reply to one request. */
export interface ModelReply {
  /** Text parts, one event each. */
  say?: string | string[]
  call?: { name: string; arguments: unknown; id?: string }[]
  /** JSON sent as the text of the reply, for structured output. */
  json?: unknown
  /** Error status, sent without text. */
  status?: number
  headers?: Record<string, string>
  /** Default: `tool_calls` with calls, otherwise `stop`. */
  finish?: string
  /** Raw body instead of events. */
  raw?: string
  /** Delay before the first byte, and between events. */
  waitMs?: number
  betweenMs?: number
  /** Number of events after which the connection closes, or stalls. */
  disconnectAfter?: number
  stallAfter?: number
  /** Send one JSON body even if streaming was requested. */
  nonStreaming?: boolean
  usage?: { prompt_tokens: unknown; completion_tokens: unknown; [more: string]: unknown } | null
  /** Text that is sent without end. */
  endless?: string
}

export interface ScriptedModel {
  /** For AI_BASE_URL. */
  baseUrl: string
  /** Bodies of the requests, oldest first. */
  requests: any[]
  /** Headers of the requests. */
  headers: Record<string, string | string[] | undefined>[]
  /** Paths and queries of the requests. */
  urls: string[]
  /** Replaces the script: one reply per request; the last reply repeats. */
  script(...replies: ModelReply[]): void
  close(): Promise<void>
}

/** An OpenAI-compatible server on loopback with scripted replies. */
export async function scriptedModel(
  ...first: (ModelReply | ((body: any) => ModelReply))[]
): Promise<ScriptedModel> {
  let replies = first
  const requests: any[] = []
  const headers: ScriptedModel['headers'] = []
  const urls: string[] = []
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}')
      return
    }
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    requests.push(JSON.parse(body))
    headers.push(request.headers)
    urls.push(request.url ?? '')
    const reply = replies.length > 1 ? replies.shift()! : (replies[0] ?? {})
    const chosen = typeof reply === 'function' ? reply(requests.at(-1)) : reply
    await sendReply(chosen, response).catch(() => response.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    headers,
    urls,
    script(...next) {
      replies = next
      requests.length = 0
      headers.length = 0
      urls.length = 0
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

async function sendReply(reply: ModelReply, response: ServerResponse) {
  if (reply.waitMs) await wait(reply.waitMs)
  if (reply.status) {
    response.writeHead(reply.status, reply.headers).end(reply.raw ?? '{"error":{"message":"no"}}')
    return
  }
  if (reply.nonStreaming) {
    const json = { 'content-type': 'application/json', ...reply.headers }
    response.writeHead(200, json).end(JSON.stringify(completionBody(reply)))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...reply.headers })
  if (reply.raw !== undefined) {
    response.end(reply.raw)
    return
  }
  while (reply.endless !== undefined && !response.destroyed) await send(response, reply.endless)
  let sent = 0
  for (const event of encodeEvents(reply)) {
    if (sent === reply.disconnectAfter) {
      // Flushes sent data before closing.
      response.socket?.destroySoon()
      return
    }
    if (sent === reply.stallAfter) return
    if (sent > 0 && reply.betweenMs) await wait(reply.betweenMs)
    await send(response, `data: ${event}\n\n`)
    sent++
  }
  response.end()
}

/** Writes with backpressure. */
async function send(response: ServerResponse, text: string) {
  if (response.write(text)) return
  const done = new AbortController()
  const { signal } = done
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })])
  done.abort()
}

const textParts = ({ say = [], json }: ModelReply) =>
  json !== undefined ? [JSON.stringify(json)] : typeof say === 'string' ? [say] : say

const usageField = (reply: ModelReply) =>
  reply.usage === null ? {} : { usage: reply.usage ?? { prompt_tokens: 11, completion_tokens: 7 } }

const toToolCalls = ({ call = [] }: ModelReply) =>
  call.map(({ name, id, arguments: input }, index) => ({
    index,
    id: id ?? `call_${index}`,
    type: 'function',
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }))

function encodeEvents(reply: ModelReply): string[] {
  const chunk = (choice: object) =>
    JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }] })
  const calls = toToolCalls(reply).flatMap(
    ({ index, id, type, function: { name, arguments: input } }) => [
      chunk({ delta: { tool_calls: [{ index, id, type, function: { name, arguments: '' } }] } }),
      ...(input.match(/[\s\S]{1,8}/g) ?? []).map((piece) =>
        chunk({ delta: { tool_calls: [{ index, function: { arguments: piece } }] } }),
      ),
    ],
  )
  return [
    ...textParts(reply).map((content) => chunk({ delta: { content } })),
    ...calls,
    chunk({ delta: {}, finish_reason: reply.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop') }),
    ...(reply.usage === null ? [] : [JSON.stringify({ choices: [], ...usageField(reply) })]),
    '[DONE]',
  ]
}

const completionBody = (reply: ModelReply) => ({
  choices: [
    {
      message: {
        role: 'assistant',
        content: textParts(reply).join(''),
        tool_calls: toToolCalls(reply),
      },
      finish_reason: 'stop',
    },
  ],
  ...usageField(reply),
})
