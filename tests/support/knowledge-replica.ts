import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import type { Driver } from '../../services/_kit/sql/sql.ts'
import { startLoop } from '../../services/_run/loop.ts'
import knowledge from '../../services/knowledge/service.ts'

const key = 'a-key-for-chaos-tests'

/** Starts a replica of knowledge-service with its background loop. */
export function startReplica(database: Driver, env: Record<string, string>) {
  const started = knowledge.start({
    env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key, ...env },
    database,
    peers: () => () => Promise.reject(new Error('none')),
    log: silent,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })
  const stop = startLoop(started, silent, 100)
  return {
    stop,
    sweep: started.sweep,
    async post(path: string, body: unknown): Promise<{ status: number; data: any }> {
      const response = await started.fetch(
        new Request(`http://test${path}`, {
          method: 'POST',
          headers: { 'x-internal-api-key': key, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      )
      const { data } = (await response.json()) as { data: unknown }
      return { status: response.status, data }
    },
  }
}

export type Replica = ReturnType<typeof startReplica>
