import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** How the way to a server may be. */
export type Way = 'open' | 'refused' | 'silent' | 'reset'

/** A way to a server on this machine that can be cut in several manners. */
export async function tcpProxy(port: number) {
  let way: Way = 'open'
  const pairs = new Set<[Socket, Socket]>()
  const server = createServer((here) => {
    if (way === 'reset') return void here.on('error', () => {}).resetAndDestroy()
    const there = connect(port, '127.0.0.1')
    const pair: [Socket, Socket] = [here, there]
    pairs.add(pair)
    for (const [one, other] of [pair, [there, here]] as const) {
      one.setNoDelay()
      one.on('error', () => other.destroy())
      one.on('close', () => {
        other.destroy()
        pairs.delete(pair)
      })
    }
    if (way === 'open') flow(pair)
  })
  const flow = ([here, there]: [Socket, Socket]) => {
    here.pipe(there)
    there.pipe(here)
  }
  const halt = ([here, there]: [Socket, Socket]) => {
    for (const socket of [here, there]) socket.unpipe().pause()
  }
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port: own } = server.address() as AddressInfo
  const cut = () => {
    for (const [here] of pairs) here.resetAndDestroy()
  }
  const leave = () =>
    new Promise<unknown>((left) => {
      server.close(left)
      cut()
    })
  return {
    port: own,
    /** What was held back by silence goes on its way when the way is open again. */
    async become(next: Way) {
      if (next === way) return
      if (next === 'refused') await leave()
      else if (way === 'refused') await listen(own)
      if (next === 'reset') cut()
      for (const pair of pairs) {
        if (next === 'silent') halt(pair)
        if (way === 'silent' && next === 'open') flow(pair)
      }
      way = next
    },
    async close() {
      if (way === 'refused') cut()
      else await leave()
    },
  }
}
