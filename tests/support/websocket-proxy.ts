import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { pipeline } from 'node:stream'
import { createWebSocketStream, WebSocketServer } from 'ws'

/**
 * WebSocket proxy for the Neon driver: forwards the bytes of a WebSocket to `ws://relay?address=host:port`
 * to that TCP address and back.
 */
export async function startWebSocketProxy() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  await once(server, 'listening')
  server.on('connection', (socket, request) => {
    const target = new URL(`tcp://${addressIn(request.url)}`)
    const upstream = connect(Number(target.port), target.hostname).setNoDelay()
    const client = createWebSocketStream(socket)
    // When one side closes or fails, close the other.
    pipeline(client, upstream, () => client.destroy())
    pipeline(upstream, client, () => upstream.destroy())
  })
  const { port } = server.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    async close() {
      for (const socket of server.clients) socket.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const addressIn = (url = '') => new URL(url, 'ws://relay').searchParams.get('address')
