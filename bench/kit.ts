import { startPostgres } from '../tests/support/postgres-server.ts'
import { versions } from './kit/postgres.ts'
import { recall } from './kit/recall.ts'
import { throughput } from './kit/throughput.ts'
import type { Results } from './support/results.ts'

/** What the kit costs, and how fast memory recalls. */
export async function run({ quick }: { quick: boolean }): Promise<Results> {
  const server = await startPostgres({ durable: true })
  try {
    return {
      versions: await versions(server.url),
      tables: [await throughput(server.url, quick), ...(await recall(server.url, quick))],
    }
  } finally {
    await server.stop()
  }
}
