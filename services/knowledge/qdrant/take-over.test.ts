import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KnowledgeStage, stageKnowledge } from '../../../tests/support/knowledge.ts'
import { startQdrant } from '../../../tests/support/qdrant.ts'
import { silent } from '../../_kit/log.ts'
import { makeMetrics } from '../../_kit/metrics.ts'
import { makeQdrant } from './client.ts'
import { indexPending } from './index-job.ts'

const qdrant = await startQdrant()
if (typeof qdrant === 'string') console.warn(`skipped: ${qdrant}`)

describe.skipIf(typeof qdrant === 'string')('a new KNOWLEDGE_SEARCH_INDEX', () => {
  const server = qdrant as Exclude<typeof qdrant, string>
  let at: KnowledgeStage
  beforeAll(async () => {
    const env = { KNOWLEDGE_SEARCH_BACKEND: 'qdrant', QDRANT_URL: server.url }
    at = await stageKnowledge({ env, settles: true })
  })
  afterAll(async () => {
    await at.close()
    await server.stop()
  })

  /** The job of a service that was told of another index; `broken` lets its second write fail. */
  async function index(collection: string, broken = false) {
    const real = makeQdrant({ url: server.url, key: undefined, timeoutMs: 5_000 })
    let writes = 0
    const ask: typeof real.ask = (schema, method, path, ...rest) => {
      const isWrite = method === 'PUT' && path.includes('/points')
      if (isWrite && ++writes > 1 && broken) throw new Error('the line went dead')
      return real.ask(schema, method, path, ...rest)
    }
    const engine = { qdrant: { ...real, ask }, collection, alias: 'knowledge_chunks' }
    const kit = { log: silent, metrics: makeMetrics() }
    const job = { id: '', attempt: 1, signal: new AbortController().signal }
    await indexPending({ sql: at.sql, engine, kit, embedder: undefined } as never, {}, job)
  }

  const leadsTo = async () => (await server.ask('GET', '/aliases')).aliases[0].collection_name
  const collections = async () =>
    (await server.ask('GET', '/collections')).collections.map((each: any) => each.name).sort()

  test('is filled behind the old one and takes over when it is full', async () => {
    const kb = await at.base()
    const documents = Array.from({ length: 300 }, (_, index) => ({
      document_id: `d${index}`,
      chunks: [`tenure ${index}`],
    }))
    await at.upsert(kb, documents)
    expect(await leadsTo()).toBe('knowledge_chunks_v1')

    await index('knowledge_chunks_v2', true)
    expect(await leadsTo()).toBe('knowledge_chunks_v1')
    expect(await collections()).toEqual(['knowledge_chunks_v1', 'knowledge_chunks_v2'])
    const meanwhile = await at.search([kb], 'tenure 7')
    expect(meanwhile.data).toMatchObject({ backend: 'qdrant', degraded: false })

    await index('knowledge_chunks_v2')
    expect(await leadsTo()).toBe('knowledge_chunks_v2')
    expect(await collections()).toEqual(['knowledge_chunks_v2'])
    const afterwards = await at.search([kb], 'tenure 7')
    expect(afterwards.data).toMatchObject({ backend: 'qdrant', degraded: false })
    expect(afterwards.data.hits[0].document_id).toBe('d7')
    const { count } = await server.ask('POST', '/collections/knowledge_chunks/points/count', {})
    expect(count).toBe(300)
  })
})
