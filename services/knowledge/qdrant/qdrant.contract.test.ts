import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { embeddingServer } from '../../../tests/support/embedding.ts'
import {
  external,
  type KnowledgeStage,
  lawyer,
  stageKnowledge,
} from '../../../tests/support/knowledge.ts'
import { startQdrant, unreliable } from '../../../tests/support/qdrant.ts'

const qdrant = await startQdrant()
if (typeof qdrant === 'string') console.warn(`skipped: ${qdrant}`)

describe.skipIf(typeof qdrant === 'string')('with Qdrant', () => {
  const server = qdrant as Exclude<typeof qdrant, string>
  let at: KnowledgeStage
  let api: Awaited<ReturnType<typeof embeddingServer>>
  let between: Awaited<ReturnType<typeof unreliable>>
  beforeAll(async () => {
    api = await embeddingServer()
    between = await unreliable(server.url)
    const env = {
      ...api.variables,
      KNOWLEDGE_SEARCH_BACKEND: 'qdrant',
      QDRANT_URL: between.url,
      QDRANT_TIMEOUT_MS: '1000',
    }
    at = await stageKnowledge({ env, settles: true })
  })
  afterAll(async () => {
    await at.close()
    await between.close()
    await api.close()
    await server.stop()
  })
  afterEach(async () => {
    between.behave('pass')
    await hurry()
  })

  const hurry = async () => {
    await at.sql`update knowledge.jobs set run_at = now() where status = 'PENDING'`
    await at.settle()
  }
  const points = async () =>
    (await server.ask('POST', '/collections/knowledge_chunks/points/count', { exact: true })).count
  const chunks = async () =>
    Number((await at.sql`select count(*) as n from knowledge.chunks`)[0]!.n)

  const documents = [
    { document_id: 'rent', file_id: 'f', chunks: ['the tenant pays rent every month'] },
    { document_id: 'loan', chunks: ['the borrower repays a loan'] },
    { document_id: 'both', chunks: ['rent and loan are debts'] },
  ]

  test('a hybrid search is one request', async () => {
    const kb = await at.base()
    const written = await at.upsert(kb, documents)
    expect(written.data.index).toEqual({ status: 'queued' })
    between.requests()
    const { data } = await at.search([kb], 'rent', {}, 'hybrid')
    expect(between.requests()).toBe(1)
    expect(data).toMatchObject({ backend: 'qdrant', degraded: false, reason: null })
    const byId = new Map(data.hits.map((hit: any) => [hit.document_id, hit.matched_by]))
    expect(byId.get('rent')).toEqual(['keyword', 'vector'])
    expect(byId.get('loan')).toEqual(['vector'])
    const vector = await at.search([kb], 'borrower', {}, 'vector')
    expect(vector.data.hits[0].document_id).toBe('loan')
  })

  test('what is deleted is gone there too', async () => {
    const kb = await at.base()
    await at.upsert(kb, documents)
    await at.post('/api/v1/internal/atomic/delete-by-file', { kb_id: kb, file_id: 'f' })
    expect(await at.found([kb], 'tenant')).toEqual([])
    await at.settle()
    expect(await points()).toBe(await chunks())
    await at.call('DELETE', `${external}/bases/${kb}`, { headers: lawyer })
    await at.settle()
    expect(await points()).toBe(await chunks())
  })

  test.each(['refuse', 'error', 'garbage', 'odd', 'hang'] as const)(
    'that answers with %s, the database answers and says so',
    async (behaviour) => {
      const kb = await at.base()
      await at.upsert(kb, documents)
      between.behave(behaviour)
      const { status, data } = await at.search([kb], 'rent', {}, 'hybrid')
      expect([status, data.backend, data.degraded, data.reason]).toEqual([
        200,
        'database',
        true,
        'search_engine_unavailable',
      ])
      expect(data.hits.map((hit: any) => hit.document_id)).toContain('rent')
      const health = await at.fetch(new Request('http://test/api/v1/internal/actuator/health'))
      expect(await health.json()).toMatchObject({
        components: { search: { status: expect.any(String) } },
      })
    },
  )

  test('a write while it is away is found at once, and there when it is back', async () => {
    const kb = await at.base()
    between.behave('error')
    const written = await at.upsert(kb, documents)
    expect(written.status).toBe(200)
    expect((await at.found([kb], 'tenant'))[0]).toBe('rent')
    between.behave('pass')
    await hurry()
    expect(await points()).toBe(await chunks())
  })

  test('what differs is found and mended', async () => {
    const kb = await at.base()
    await at.upsert(kb, documents)
    const path = '/collections/knowledge_chunks/points'
    const { points: some } = await server.ask('POST', `${path}/scroll`, { limit: 2 })
    const ids = some.map(({ id }: { id: number }) => id)
    await server.ask('POST', `${path}/delete?wait=true`, { points: ids })
    expect(await points()).toBeLessThan(await chunks())
    await at.call('POST', '/api/v1/internal/actuator/tick')
    await at.settle()
    expect(await points()).toBe(await chunks())
  })

  test('a server that lost everything is filled again', async () => {
    const kb = await at.base()
    await at.upsert(kb, documents)
    await server.ask('DELETE', '/collections/knowledge_chunks_v1')
    const meanwhile = await at.search([kb], 'tenant')
    expect(meanwhile.data).toMatchObject({ backend: 'database', degraded: true })
    await at.call('POST', '/api/v1/internal/actuator/tick')
    await at.settle()
    expect(await points()).toBe(await chunks())
  })
})
