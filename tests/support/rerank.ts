import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'

type Behaviour = 'reverse' | 'error' | 'garbage' | 'hang' | 'duplicate' | 'outside'
type RerankRequest = { query: string; documents: string[]; top_n: number }

/** A rerank server that reverses the documents or misbehaves as configured. */
export async function rerankServer() {
  let behaviour: Behaviour = 'reverse'
  let lastRequest: RerankRequest | undefined
  const responses: Record<Behaviour, (documents: string[]) => Response | Promise<Response>> = {
    reverse: (documents) =>
      Response.json({
        results: documents.map((_, index) => ({ index, relevance_score: index / 10 })),
      }),
    error: () => new Response('no', { status: 500 }),
    garbage: () => new Response('<html>'),
    hang: () => new Promise(() => {}),
    duplicate: (documents) =>
      Response.json({ results: documents.map(() => ({ index: 0, relevance_score: 1 })) }),
    outside: (documents) =>
      Response.json({
        results: documents.map((_, index) => ({ index: index + 5, relevance_score: 1 })),
      }),
  }
  const server = serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      if (request.method === 'HEAD') return new Response()
      lastRequest = (await request.json()) as RerankRequest
      return responses[behaviour](lastRequest.documents)
    },
  })
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/rerank`,
    behave(next: Behaviour) {
      behaviour = next
    },
    lastRequest: () => lastRequest,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done())
        if ('closeAllConnections' in server) server.closeAllConnections()
      }),
  }
}
