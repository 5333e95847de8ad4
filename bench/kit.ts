import { startPostgres } from '../tests/support/postgres-server.ts'
import { versions } from './kit/postgres.ts'
import { measureRecall } from './kit/recall.ts'
import { measureThroughput } from './kit/throughput.ts'
import type { Results } from './support/results.ts'

/** Measures the overhead of the kit and the latency of recall. */
export async function run({ quick }: { quick: boolean }): Promise<Results> {
  const server = await startPostgres({ durable: true })
  try {
    return {
      versions: await versions(server.url),
      tables: [
        await measureThroughput(server.url, quick),
        ...(await measureRecall(server.url, quick)),
      ],
    }
  } finally {
    await server.stop()
  }
}
