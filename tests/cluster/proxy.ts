import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Access } from '../../operator/runtime/access.ts'

type Pair = { client: Socket; server: Socket }

/** A TCP proxy in front of the API server that injects network faults. */
export async function startProxy(access: Access) {
  const pairs = new Set<Pair>()
  let holding = false
  let delay = 0

  const proxy = createServer((client) => {
    const server = connect({ host: access.server.hostname, port: Number(access.server.port) })
    const pair = { client, server }
    pairs.add(pair)
    forward(client, server)
    forward(server, client)
    for (const socket of [client, server]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        // A black hole does not close its upstream connection.
        if (!holding) end(pair)
      })
    }
    if (holding) hold(pair)
  })

  function forward(from: Socket, to: Socket) {
    from.on('data', (bytes) => {
      if (delay === 0) return void to.write(bytes)
      from.pause()
      setTimeout(() => {
        to.write(bytes)
        if (!holding) from.resume()
      }, delay)
    })
  }

  function hold({ client, server }: Pair) {
    client.pause()
    server.pause()
  }

  function end(pair: Pair) {
    pair.client.destroy()
    pair.server.destroy()
    pairs.delete(pair)
  }

  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  return {
    access: { ...access, server: new URL(`https://127.0.0.1:${port}`) } as Access,
    connections: () => pairs.size,
    cut() {
      for (const pair of pairs) end(pair)
    },
    /** Drops all traffic without closing connections. */
    blackHole() {
      holding = true
      for (const pair of pairs) hold(pair)
    },
    /** Forwards new connections again. Black-holed connections stay silent. */
    recover() {
      holding = false
    },
    /** Delay of each chunk in milliseconds. */
    slow(milliseconds: number) {
      delay = milliseconds
    },
    close() {
      for (const pair of pairs) end(pair)
      proxy.close()
    },
  }
}
