import { createServer as createProxyServer } from 'node:http'
import { createServer } from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import type { TLSSocket } from 'node:tls'
import { authority, serverIdentity } from './certificates.ts'

export type SeenRequest = {
  authorization: string | undefined
  /** Common name of a verified client certificate. */
  client: string | undefined
}

/**
 * An HTTPS API server that has no objects. It records the identity of each request and returns 401 for rejected
 * ones. `bodies` are the responses by path.
 */
export async function startTlsApi(
  isAccepted: (request: SeenRequest) => boolean = () => true,
  bodies: Record<string, object> = {},
) {
  const seen: SeenRequest[] = []
  const tls = { ...serverIdentity, ca: authority, requestCert: true, rejectUnauthorized: false }
  const server = createServer(tls, (request, response) => {
    const socket = request.socket as TLSSocket
    const client = socket.authorized ? String(socket.getPeerCertificate().subject.CN) : undefined
    const { authorization } = request.headers
    seen.push({ authorization, client })
    response.writeHead(isAccepted(seen.at(-1)!) ? 200 : 401)
    const emptyList = { items: [], metadata: { resourceVersion: '1' } }
    response.end(JSON.stringify(bodies[request.url!] ?? emptyList))
  })
  const port = await listen(server)
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    seen,
    tokens: () => seen.map(({ authorization }) => authorization?.replace('Bearer ', '')),
    close: () => server.closeAllConnections() ?? server.close(),
  }
}

/** An HTTP proxy that accepts CONNECT. All targets are on loopback, whatever their host name. */
export async function startConnectProxy() {
  const targets: string[] = []
  const proxy = createProxyServer((_, response) => response.writeHead(405).end())
  const sockets = new Set<Socket>()
  proxy.on('connect', (request, client: Socket) => {
    targets.push(request.url!)
    const upstream = connect(Number(request.url!.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      join(client, upstream, sockets)
    })
    upstream.on('error', () => client.destroy())
  })
  const port = await listen(proxy)
  return { url: `http://127.0.0.1:${port}`, targets, close: () => closeAll(proxy, sockets) }
}

/** A SOCKS5 proxy without authentication. All targets are on loopback. */
export async function startSocksProxy() {
  let connections = 0
  const sockets = new Set<Socket>()
  const proxy = createTcpServer((client) => {
    client.on('error', () => {})
    client.once('data', () => {
      client.write(Buffer.from([5, 0]))
      client.once('data', (request) => {
        connections++
        const upstream = connect(request.readUInt16BE(request.length - 2), '127.0.0.1', () => {
          client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
          join(client, upstream, sockets)
        })
      })
    })
  })
  const port = await listen(proxy)
  return {
    url: `socks5h://127.0.0.1:${port}`,
    connections: () => connections,
    close: () => closeAll(proxy, sockets),
  }
}

function join(one: Socket, other: Socket, sockets: Set<Socket>) {
  for (const socket of [one, other]) {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      one.destroy()
      other.destroy()
    })
  }
  one.pipe(other).pipe(one)
}

function closeAll(server: Server, sockets: Set<Socket>) {
  for (const socket of sockets) socket.destroy()
  server.close()
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
