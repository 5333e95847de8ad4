import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Finds a free port below the ephemeral range, so that the system does not assign it meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const free = await new Promise<boolean>((resolve) => {
      const probe = createServer()
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
    })
    if (free) return port
  }
}
