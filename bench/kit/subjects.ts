import postgres from 'postgres'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { queryTokens } from '../../services/_kit/tokenize.ts'
import memory from '../../services/memory/service.ts'
import { headers, key, tenant } from './requests.ts'
import { quoteLexeme, type Store } from './store.ts'

export interface RecallQuery {
  user: string
  query: string
}

export interface Subject {
  /** Returns the ids of the ten best facts, best first. */
  recall(question: RecallQuery): Promise<string[]>
  close(): Promise<void>
}

/** Recall of memory-service, from request to response, without the network. */
export function memoryService({ url }: Store): Subject {
  const database = postgresDriver(url, 10)
  const { fetch } = memory.start({
    env: { ENVIRONMENT: 'production', INTERNAL_API_KEY: key },
    database,
    peers: () => () => Promise.reject(new Error('nobody else is here')),
    log: silent,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })
  return {
    async recall({ user, query }) {
      const request = new Request('http://bench/api/v1/internal/memory/recall', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ user_id: user, query }),
      })
      const response = await fetch(request)
      if (!response.ok) throw new Error(await response.text())
      const { data } = (await response.json()) as { data: { facts: { id: string }[] } }
      return data.facts.map(({ id }) => id)
    },
    close: () => database.end(),
  }
}

/** Reference: `ts_rank` of PostgreSQL on the same tokens, for facts with any of them. */
export function tsRank({ url }: Store): Subject {
  const sql = postgres(url, { max: 1 })
  return {
    async recall({ user, query }) {
      const words = queryTokens(query).map(quoteLexeme).join(' | ')
      const rows = await sql<{ id: string }[]>`
        select facts.* from (
          select id, ts_rank(words, ${words}::tsquery) as rank from vectors
          where tenant_id = ${tenant} and user_id = ${user} and words @@ ${words}::tsquery
          order by rank desc limit 10) best
        join memory.facts using (id) order by rank desc`
      return rows.map(({ id }) => id)
    },
    close: () => sql.end(),
  }
}
