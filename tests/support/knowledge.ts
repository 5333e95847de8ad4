import { expect } from 'vitest'
import knowledge from '../../services/knowledge/service.ts'
import { type Options, stage } from './stage.ts'

export const atomic = '/api/v1/internal/atomic'
export const seed = '/api/v1/internal/seed'
export const external = '/api/v1/knowledge'

export const lawyer = { 'x-user-id': 'lawyer-1', 'x-user-type': 'lawyer' }

export interface TestDocument {
  document_id: string
  title?: string
  doc_type?: string
  file_id?: string
  metadata?: object
  /** Contents of chunks, or complete chunks. */
  chunks: (string | object)[]
}

interface KnowledgeOptions extends Options {
  /** Run due jobs after each write, so that the next search finds it. */
  runsJobs?: boolean
}

export async function stageKnowledge({ runsJobs = false, ...options }: KnowledgeOptions = {}) {
  const at = await stage(knowledge, options)
  const post = (path: string, body: unknown, headers: Record<string, string | undefined> = {}) =>
    at.call('POST', path, { body, headers })
  const get = (path: string, headers: Record<string, string | undefined> = {}) =>
    at.call('GET', path, { headers })
  let baseCount = 0

  /** Creates a knowledge base of the organization. */
  async function createBase(headers: Record<string, string> = {}): Promise<string> {
    const body = { name: `Base ${++baseCount}` }
    const created = await post(`${external}/bases`, body, { ...lawyer, ...headers })
    expect(created.status, created.text).toBe(201)
    return created.data.id
  }

  async function upsert(kb_id: string, documents: TestDocument[]) {
    const written = await post(`${atomic}/batch-upsert`, {
      documents: documents.map(({ chunks, ...document }) => ({
        kb_id,
        doc_type: 'statute',
        title: document.document_id,
        metadata: {},
        ...document,
        chunks: chunks.map((chunk, chunk_index) =>
          typeof chunk === 'string'
            ? { chunk_index, content: chunk, metadata: {} }
            : { chunk_index, metadata: {}, ...chunk },
        ),
      })),
    })
    if (runsJobs) await runJobs()
    return written
  }

  const search = (kb_ids: string[], query: string, more: object = {}, mode = 'keyword') =>
    post(`${atomic}/${mode}-search`, { kb_ids, query, ...more })

  /** Document ids of the hits of a search, best first. */
  async function searchIds(kb_ids: string[], query: string, more: object = {}): Promise<string[]> {
    const response = await search(kb_ids, query, more)
    expect(response.status, response.text).toBe(200)
    return response.data.hits.map((hit: { document_id: string }) => hit.document_id)
  }

  /** Runs due jobs until none is left. */
  async function runJobs() {
    while ((await at.tick()) > 0);
  }

  return {
    ...at,
    post,
    get,
    createBase: createBase,
    upsert,
    search,
    searchIds: searchIds,
    runJobs: runJobs,
  }
}

export type KnowledgeStage = Awaited<ReturnType<typeof stageKnowledge>>
