import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { migrate } from '../../services/_kit/sql/migrate.ts'
import {
  type Driver,
  type MigrationDriver,
  makeSql,
  type Sql,
} from '../../services/_kit/sql/sql.ts'
import knowledge from '../../services/knowledge/service.ts'
import type { Article } from './statutes.ts'

export const key = 'a-key-for-benches-only'
/** Id of the tenant base that the benchmark fills. */
export const benchBase = '0190b8f4-0000-7000-8000-00000000be0c'

/** Starts knowledge-service in this process on its own database. */
export async function openKnowledge(driver: MigrationDriver, env: Record<string, string> = {}) {
  await migrate(driver, 'knowledge', 'knowledge')
  /** `again` starts another instance with an empty cache. */
  return { ...start(driver, env), again: () => start(driver, env) }
}

function start(driver: Driver, env: Record<string, string>) {
  const started = knowledge.start({
    env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key, ...env },
    database: driver,
    peers: () => () => Promise.reject(new Error('nobody is here')),
    log: silent,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })

  async function post(
    path: string,
    body: unknown,
    more: Record<string, string> = {},
  ): Promise<any> {
    const response = await started.fetch(
      new Request(`http://bench/api/v1/internal/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-internal-api-key': key, ...more },
        body: JSON.stringify(body),
      }),
    )
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
    return JSON.parse(text).data
  }

  return {
    post,
    sql: makeSql(driver),
    settle: async () => {
      while ((await started.tick()) > 0);
    },
    sweep: started.sweep,
    /** Returns the ids of the found articles, best first. */
    async search(query: string, limit: number, mode = 'keyword'): Promise<string[]> {
      const body = { kb_ids: [benchBase], query, top_k: limit }
      const { hits } = await post(`atomic/${mode}-search`, body)
      return hits.map((hit: any) => hit.metadata.id)
    },
  }
}

export type Knowledge = Awaited<ReturnType<typeof openKnowledge>>

/** Converts laws to documents and their articles to chunks. */
export function buildDocuments(articles: readonly Article[]) {
  const laws = Map.groupBy(articles, ({ law }) => law)
  return Array.from(laws, ([law, own]) => ({
    kb_id: benchBase,
    document_id: law,
    doc_type: 'statute',
    title: law,
    metadata: {},
    chunks: own.map(({ id, article, text }, chunk_index) => ({
      chunk_index,
      section_id: article || null,
      content: text,
      metadata: { id },
    })),
  }))
}

const batchSize = 500

export const createBenchBase = (sql: Sql) => sql`
  insert into knowledge.bases (id, organization_id, name) values (${benchBase}, 'bench', 'bench')
  on conflict do nothing`

/** Imports articles and runs the jobs that follow. Returns the chunks per second of the import. */
export async function fill(subject: Knowledge, articles: readonly Article[]): Promise<number> {
  await createBenchBase(subject.sql)
  const rate = await importArticles(subject, articles)
  await subject.settle()
  return rate
}

/** Imports articles in requests of some hundred chunks. Returns the chunks per second. */
export async function importArticles(
  subject: Pick<Knowledge, 'post'>,
  articles: readonly Article[],
): Promise<number> {
  const startedAt = performance.now()
  let documents: ReturnType<typeof buildDocuments> = []
  let chunks = 0
  const send = async () => {
    await subject.post('atomic/batch-upsert', { documents })
    documents = []
    chunks = 0
  }
  for (const document of buildDocuments(articles)) {
    documents.push(document)
    chunks += document.chunks.length
    if (chunks >= batchSize) await send()
  }
  if (documents.length > 0) await send()
  return articles.length / ((performance.now() - startedAt) / 1000)
}
