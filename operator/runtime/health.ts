import { createServer, type Server } from 'node:http'

export type HealthSources = {
  /** Reasons why this process is not ready. */
  problems: () => string[]
  metrics: () => string
}

/** Serves /metrics, /healthz (the process runs) and /readyz (its caches are current). */
export function serveHealth(port: number, { problems, metrics }: HealthSources): Promise<Server> {
  const server = createServer((request, response) => {
    const [status, text] = respond(request.url ?? '')
    const type = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
    response.writeHead(request.method === 'GET' ? status : 405, type)
    response.end(request.method === 'GET' ? text : '')
  })

  function respond(url: string): [status: number, text: string] {
    if (url === '/healthz') return [200, 'ok\n']
    if (url === '/metrics') return [200, metrics()]
    if (url !== '/readyz') return [404, 'not found\n']
    const current = problems()
    return current.length ? [503, `${current.join('\n')}\n`] : [200, 'ok\n']
  }

  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, () => resolve(server))
  })
}
