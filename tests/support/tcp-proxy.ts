import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** State of the connection to a server. */
export type ProxyMode = 'open' | 'refused' | 'silent' | 'reset'

/** A TCP proxy to a local port that can refuse, stall or reset connections. */
export async function tcpProxy(port: number) {
  let mode: ProxyMode = 'open'
  const pairs = new Set<[Socket, Socket]>()
  const server = createServer((client) => {
    if (mode === 'reset') return void client.on('error', () => {}).resetAndDestroy()
    const upstream = connect(port, '127.0.0.1')
    const pair: [Socket, Socket] = [client, upstream]
    pairs.add(pair)
    for (const [one, other] of [pair, [upstream, client]] as const) {
      one.setNoDelay()
      one.on('error', () => other.destroy())
      one.on('close', () => {
        other.destroy()
        pairs.delete(pair)
      })
    }
    if (mode === 'open') resumePair(pair)
  })
  const resumePair = ([client, upstream]: [Socket, Socket]) => {
    client.pipe(upstream)
    upstream.pipe(client)
  }
  const pausePair = ([client, upstream]: [Socket, Socket]) => {
    for (const socket of [client, upstream]) socket.unpipe().pause()
  }
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port: own } = server.address() as AddressInfo
  const resetAll = () => {
    for (const [client] of pairs) client.resetAndDestroy()
  }
  const stopListening = () =>
    new Promise<unknown>((left) => {
      server.close(left)
      resetAll()
    })
  return {
    port: own,
    /** Switches the mode. Data buffered while silent is forwarded when the mode is open again. */
    async setMode(next: ProxyMode) {
      if (next === mode) return
      if (next === 'refused') await stopListening()
      else if (mode === 'refused') await listen(own)
      if (next === 'reset') resetAll()
      for (const pair of pairs) {
        if (next === 'silent') pausePair(pair)
        if (mode === 'silent' && next === 'open') resumePair(pair)
      }
      mode = next
    },
    async close() {
      if (mode === 'refused') resetAll()
      else await stopListening()
    },
  }
}
