import { expect } from 'vitest'
import { silent } from '../../services/_kit/log.ts'
import { makeMetrics } from '../../services/_kit/metrics.ts'
import { type Driver, makeSql } from '../../services/_kit/sql/sql.ts'
import knowledge from '../../services/knowledge/service.ts'

const key = 'a-key-for-tests-only'

type Headers = Record<string, string>

/** Starts a process of knowledge-service; several may share a database. */
export function startKnowledge(driver: Driver, env: Record<string, string> = {}) {
  const started = knowledge.start({
    env: { ENVIRONMENT: 'test', INTERNAL_API_KEY: key, ...env },
    database: driver,
    peers: () => () => Promise.reject(new Error('nobody is here')),
    log: silent,
    metrics: makeMetrics(),
    runtime: 'node',
    version: '0',
  })
  async function request(path: string, body: unknown, more: Headers = {}): Promise<any> {
    const headers = { 'content-type': 'application/json', 'x-internal-api-key': key, ...more }
    const response = await started.fetch(
      new Request(`http://test/api/v1/internal/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      }),
    )
    return { status: response.status, ...(await response.json()) }
  }
  /** Returns the data of a request that must succeed. */
  async function post(path: string, body: unknown, more: Headers = {}): Promise<any> {
    const { status, data, message } = await request(path, body, more)
    expect(status, message).toBe(200)
    return data
  }
  /** Deletes what is at an external path. */
  const remove = (path: string, headers: Headers) =>
    started.fetch(
      new Request(`http://test/api/v1/knowledge/${path}`, {
        method: 'DELETE',
        headers: { 'x-internal-api-key': key, ...headers },
      }),
    )
  /** Runs due jobs until none is left. */
  const settle = async () => {
    while ((await started.tick()) > 0);
  }
  return { request, post, remove, settle, sweep: started.sweep }
}

export type KnowledgeProcess = ReturnType<typeof startKnowledge>

let bases = 0

/** Creates a base of an organization. Small bases of one organization share a shard. */
export async function insertBase(driver: Driver, organization = 'acme'): Promise<string> {
  const id = crypto.randomUUID()
  await makeSql(driver)`
    insert into knowledge.bases (id, organization_id, name)
    values (${id}, ${organization}, ${`Base ${++bases}`})`
  return id
}

export interface DocumentInput {
  file_id?: string
  doc_type?: string
  metadata?: object
  chunks: string[]
}

/** A document of a batch; its title is its id. */
export const buildDocument = (
  kb_id: string,
  document_id: string,
  { chunks, ...fields }: DocumentInput,
) => ({
  ...{ kb_id, document_id, doc_type: 'statute', title: document_id, metadata: {} },
  ...fields,
  chunks: chunks.map((content, chunk_index) => ({ chunk_index, content, metadata: {} })),
})

/** Merges the shard of a base now, also if the job is not due. */
export async function mergeBase(driver: Driver, { settle }: KnowledgeProcess, kb: string) {
  await makeSql(driver)`
    insert into knowledge.jobs (id, kind, payload, run_at, max_attempts)
    select gen_random_uuid(), 'merge', jsonb_build_object('shard', shard), now(), 1
    from knowledge.bases where id = ${kb} and shard is not null`
  await settle()
}
