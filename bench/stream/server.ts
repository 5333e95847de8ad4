import { makeMetrics } from '../../services/_kit/metrics.ts'
import { httpPeers } from '../../services/_kit/peer.ts'
import { migrate } from '../../services/_kit/sql/migrate.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { listen } from '../../services/_run/listen.ts'
import { makeLog } from '../../services/_run/log.ts'
import consultations from '../../services/consultations/service.ts'
import { reportMemory } from '../support/report-memory.ts'

/** Server under load: `full` is consultations-service as in production, `bare` passes the bytes through. */
const [kind] = process.argv.slice(2)
const { DATABASE_URL, AI_ENGINE_URL } = process.env
const { port } = await listen(kind === 'full' ? await full() : bare, 0, '127.0.0.1')

reportMemory()
process.send!({ port })

async function full() {
  const database = postgresDriver(DATABASE_URL!, 10)
  await migrate(database, consultations.folder, consultations.schema)
  const { fetch } = consultations.start({
    env: process.env,
    database,
    peers: httpPeers(process.env),
    log: makeLog(consultations.name, { LOG_LEVEL: 'info', LOG_FORMAT: 'json' }),
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })
  return fetch
}

/** Baseline: sends the same request to the engine and returns the response without parsing or storing it. */
async function bare(request: Request): Promise<Response> {
  const { content } = (await request.json()) as { content: string }
  const response = await fetch(`${AI_ENGINE_URL}/api/v1/internal/ai/agent/execute/stream`, {
    method: 'POST',
    body: JSON.stringify({ message: content }),
  })
  return new Response(response.body, { headers: { 'content-type': 'application/x-ndjson' } })
}
