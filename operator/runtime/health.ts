import { createServer, type Server } from 'node:http'

export type Health = {
  /** What keeps this process from being of use; empty when nothing does. */
  troubles: () => string[]
  metrics: () => string
}

/** Serves /metrics, /healthz (it runs) and /readyz (it sees what happens in the cluster). */
export function serveHealth(port: number, { troubles, metrics }: Health): Promise<Server> {
  const server = createServer((request, response) => {
    const [status, text] = answerTo(request.url ?? '')
    const type = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
    response.writeHead(request.method === 'GET' ? status : 405, type)
    response.end(request.method === 'GET' ? text : '')
  })

  function answerTo(url: string): [status: number, text: string] {
    if (url === '/healthz') return [200, 'ok\n']
    if (url === '/metrics') return [200, metrics()]
    if (url !== '/readyz') return [404, 'not found\n']
    const found = troubles()
    return found.length ? [503, `${found.join('\n')}\n`] : [200, 'ok\n']
  }

  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, () => resolve(server))
  })
}
