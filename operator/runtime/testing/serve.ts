import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Transport } from '../transport.ts'

/** A transport behind a real HTTP server on loopback. */
export async function serve(
  transport: Transport,
  seen: (headers: Record<string, unknown>) => number | undefined = () => undefined,
) {
  let open = 0
  const server = createServer(async (request, response) => {
    const refused = seen(request.headers)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (refused) return response.writeHead(refused).end('{}')
    const gone = new AbortController()
    open++
    response.on('close', () => {
      open--
      gone.abort(new Error('closed'))
    })
    const body = chunks.length ? Buffer.concat(chunks).toString() : undefined
    const headers = request.headers as Record<string, string>
    try {
      const answer = await transport({
        method: request.method!,
        path: request.url!,
        headers,
        body,
        signal: gone.signal,
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
    /** Requests that are under way. */
    open: () => open,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
