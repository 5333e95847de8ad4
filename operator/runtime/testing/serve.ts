import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Transport } from '../transport.ts'

/** Serves a transport over HTTP on loopback. */
export async function serve(
  transport: Transport,
  onRequest: (headers: Record<string, unknown>) => number | undefined = () => undefined,
) {
  let open = 0
  const server = createServer(async (request, response) => {
    const rejectedWith = onRequest(request.headers)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (rejectedWith) return response.writeHead(rejectedWith).end('{}')
    const closed = new AbortController()
    open++
    response.on('close', () => {
      open--
      closed.abort(new Error('closed'))
    })
    const body = chunks.length ? Buffer.concat(chunks).toString() : undefined
    const headers = request.headers as Record<string, string>
    try {
      const answer = await transport({
        method: request.method!,
        path: request.url!,
        headers,
        body,
        signal: closed.signal,
      })
      response.writeHead(answer.status, answer.headers as Record<string, string>)
      response.flushHeaders()
      for await (const chunk of answer.body) response.write(chunk)
      response.end()
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    /** Number of open requests. */
    open: () => open,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
