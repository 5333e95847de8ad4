import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/** Number of events of a stream and the milliseconds between them; 0 sends them at once. */
export interface Plan {
  events: number
  everyMs: number
}

/** Engine stub: streams the plan that the message contains. */
const server = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  const { url = '' } = request
  const ok = (data: unknown) => response.end(JSON.stringify({ code: 0, message: 'ok', data }))
  if (url.endsWith('/from-consultation')) return ok({ matter_id: 'm' })
  if (url.endsWith('/workflow/profile')) return ok({ matter_id: 'm', status: 'DRAFT', profile: {} })
  const plan: Plan = JSON.parse(JSON.parse(text).message)
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'x-run-id': randomUUID() })
  response.flushHeaders()
  await send(response, plan).catch(() => response.destroy())
})

/** The event contains its time, so that the reader can compute the latency. */
const line = (seq: number) => {
  const content = `${process.hrtime.bigint()} 根据民法典第六百七十五条，借款人应当按照约定的期限返还借款。`
  return `${JSON.stringify({ event: 'token', data: { node: 'chat_respond', content, seq } })}\n`
}

async function send(response: ServerResponse, { events, everyMs }: Plan) {
  // Simulates the delay of the first token. The random part desynchronizes concurrent streams.
  if (everyMs > 0) await wait(1_000 + Math.random() * everyMs)
  let due = performance.now()
  for (let seq = 1; seq <= events; seq++) {
    if (!response.write(line(seq))) await once(response, 'drain')
    if (everyMs === 0) continue
    due += everyMs
    await wait(Math.max(0, due - performance.now()))
  }
  const data = { output: 'done', status: 'completed', seq: events + 1 }
  response.end(`${JSON.stringify({ event: 'end', data })}\n`)
}

server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.send!({ port: (server.address() as AddressInfo).port })
})
