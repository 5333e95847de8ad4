import { httpPeers } from '../_kit/peer.ts'
import { fail } from './host.ts'
import { startService } from './single.ts'

/**
 * Runs one service on Deno. `deno serve` owns the port:
 * `deno serve --allow-env --allow-net --allow-read --allow-sys=hostname --port 8081
 * services/_run/deno.ts memory`.
 */
const { fetch, serveUntilSignal } = await startService(process.argv[2], 'deno', httpPeers).catch(
  fail,
)

interface ConnectionInfo {
  completed: Promise<void>
  remoteAddr: { hostname: string }
}

/** Requests in progress. At SIGTERM `deno serve` stops listening; the database stays open for these. */
const unfinished = new Set<Promise<void>>()

const drain = (graceMs: number) =>
  Promise.race([Promise.all(unfinished), new Promise((resolve) => setTimeout(resolve, graceMs))])

export default {
  fetch(request: Request, { completed, remoteAddr }: ConnectionInfo) {
    const sent = completed.catch(() => {}).finally(() => unfinished.delete(sent))
    unfinished.add(sent)
    return fetch(request, remoteAddr.hostname)
  },
  onListen: ({ port }: { port: number }) => serveUntilSignal(port, drain),
}
