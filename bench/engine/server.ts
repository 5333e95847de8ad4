import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { migrate } from '../../services/_kit/sql/migrate.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { listen } from '../../services/_run/listen.ts'
import engine from '../../services/ai-engine/service.ts'

/** ai-engine with a model: `server.ts DATABASE_URL MODEL_URL KEY`. Sends its port to the parent process. */
const [url, baseUrl, key] = process.argv.slice(2)
const database = postgresDriver(url!, 10)
await migrate(database, 'ai-engine', 'ai_engine')
const { fetch } = engine.start({
  env: {
    ENVIRONMENT: 'production',
    INTERNAL_API_KEY: key!,
    AI_BASE_URL: baseUrl!,
    AI_MODEL: 'bench',
  },
  database,
  peers: () => respondEmpty,
  log: silent,
  metrics: makeMetrics(),
  runtime: 'node',
  version: 'bench',
})
const { port } = await listen(fetch, 0, '127.0.0.1')
process.send!({ port })

/** Other services, which know nothing: a search has no hits, a list no items. */
async function respondEmpty({ url }: Request): Promise<Response> {
  const page = { items: [], total: 0, page: 1, size: 200, total_pages: 0 }
  const data = url.endsWith('-search') ? { hits: [] } : page
  return Response.json({ code: 0, message: 'ok', data })
}
