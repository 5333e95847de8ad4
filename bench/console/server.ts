import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { bundleConsole } from '../../services/gateway/console/build.node.ts'

const time = '2026-01-01T00:00:00.000Z'
const session = { id: '1', matter_id: null, title: 'Bench', status: 'ACTIVE', updated_at: time }
const words = '依照法律规定，借款人应当按照约定的期限返还借款并支付利息。'

export interface Load {
  messages: number
  tokens: number
  rows: number
}

/** A message as consultations-service returns it. */
const makeMessage = (id: string, role: 'USER' | 'ASSISTANT', content: string) => ({
  id,
  role,
  author_type: role === 'USER' ? 'client' : 'assistant',
  content,
  file_ids: [],
  created_at: time,
})

/** Messages of the thread before the stream. */
export const makeThread = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    makeMessage(
      `m${n}`,
      n % 2 ? 'ASSISTANT' : 'USER',
      `**${n}** ${words.repeat(3)}\n\n- ${words}\n- ${words}`,
    ),
  )

/** Tokens of the answer: a paragraph every 40. */
export const makeTokens = (count: number) =>
  Array.from({ length: count }, (_, n) => ((n + 1) % 40 === 0 ? '。\n\n' : `词${n + 1}，`))

/** The console with stand-ins of the services behind it: a long thread, a long list, a fast stream. */
export async function startConsole({ messages, tokens, rows }: Load) {
  const files = await bundleConsole()
  let thread = makeThread(messages)
  const page = (items: unknown[], total: number, next_cursor: string | null = null) => ({
    items,
    total,
    total_pages: Math.ceil(total / 200),
    next_cursor,
  })
  const answers: Record<string, (query: URLSearchParams) => unknown> = {
    '/auth/me': () => ({ id: 'p', name: 'Bench', user_type: 'client', permissions: [], csrf: 'c' }),
    '/sessions': (query) => {
      const from = Number(query.get('cursor') ?? 0)
      // Large pages: the list is measured, not the requests for it.
      const size = 1_000
      const items = Array.from({ length: Math.min(size, rows - from) }, (_, n) => ({
        ...session,
        id: `s${from + n}`,
        title: `${from + n} ${words}`,
      }))
      return page(items, rows, from + size < rows ? String(from + size) : null)
    },
    '/sessions/1': () => session,
    '/sessions/1/pending_card': () => ({ card: null }),
    '/sessions/1/messages': (query) => {
      const from = (Number(query.get('page')) - 1) * 200
      return page(thread.slice(from, from + 200), thread.length)
    },
  }
  /** Stores the question, streams the answer and stores it before the end of the stream. */
  async function chat(response: ServerResponse) {
    thread = [...makeThread(messages), makeMessage('question', 'USER', 'Go')]
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (n: number, event: string, data: object) =>
      response.write(`id: t:${n}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    const words = makeTokens(tokens)
    await sendTokens(words, (content, n) => send(n, 'delta', { content }))
    thread.push(makeMessage('answer', 'ASSISTANT', words.join('')))
    const outcome = { output: '', message_id: 'answer', matter_id: null, interrupted: false }
    send(tokens + 1, 'end', outcome)
    response.end()
  }
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://bench')
    const path = pathname.replace('/consultations-service/api/v1/consultations', '')
    if (path === '/sessions/1/chat') return chat(response)
    if (path === '/sessions/1/stream') return void response.writeHead(204).end()
    const answer = answers[path]
    if (answer) {
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ code: 0, data: answer(searchParams) }))
    }
    const file =
      files.find(({ name }) => pathname === `/assets/${name}`) ??
      files.find(({ name }) => name === 'index.html')!
    response.writeHead(200, { 'content-type': file.type, 'content-encoding': 'gzip' })
    response.end(gzipSync(file.bytes))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    close: () => server.close(),
  }
}

/** Sends tokens as fast as the connection takes them. Numbers start at 1. */
export async function sendTokens(tokens: string[], send: (token: string, n: number) => void) {
  for (const [index, token] of tokens.entries()) {
    send(token, index + 1)
    if (index % 20 === 0) await nextTurn()
  }
}
