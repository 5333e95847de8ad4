import { fail } from './host.ts'
import { listen } from './listen.ts'
import { startService } from './single.ts'
import { undiciPeers } from './undici-peers.ts'

/** Runs one service on Node: `node services/_run/node.ts memory`. */
async function main(folder: string | undefined) {
  const { fetch, config, log, serveUntilSignal } = await startService(folder, 'node', undiciPeers)
  const server = await listen(fetch, config.PORT, config.HOST, log)
  serveUntilSignal(server.port, server.close)
}

main(process.argv[2]).catch(fail)
