import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { embeddingServer } from '../../../tests/support/embedding.ts'
import {
  atomic,
  external,
  type KnowledgeStage,
  lawyer,
  stageKnowledge,
} from '../../../tests/support/knowledge.ts'
import { makeQdrantRequest, searchBackends } from '../../../tests/support/qdrant.ts'
import { failures, unreliableProxy } from '../../../tests/support/unreliable-proxy.ts'

const { servers, stop } = await searchBackends()
afterAll(stop)

const documents = [
  { document_id: 'rent', file_id: 'f', chunks: ['the tenant pays rent every month'] },
  { document_id: 'loan', chunks: ['the borrower repays a loan'] },
  { document_id: 'both', chunks: ['rent and loan are debts'] },
]

describe.each(servers)('with $name', ({ url }) => {
  const requestQdrant = makeQdrantRequest(url)
  let at: KnowledgeStage
  let api: Awaited<ReturnType<typeof embeddingServer>>
  let between: Awaited<ReturnType<typeof unreliableProxy>>
  beforeAll(async () => {
    api = await embeddingServer()
    between = await unreliableProxy(url)
    const env = {
      ...api.variables,
      KNOWLEDGE_SEARCH_BACKEND: 'qdrant',
      QDRANT_URL: between.url,
      QDRANT_TIMEOUT_MS: '1000',
    }
    at = await stageKnowledge({ env, runsJobs: true })
  })
  afterAll(async () => {
    await at.close()
    await between.close()
    await api.close()
  })
  afterEach(async () => {
    await between.behave('pass')
    await hurry()
  })

  const hurry = async () => {
    await at.sql`update knowledge.jobs set run_at = now() where status = 'PENDING'`
    await at.runJobs()
  }
  const tick = async () => {
    await at.call('POST', '/api/v1/internal/actuator/tick')
    await at.runJobs()
  }
  const path = '/collections/knowledge_chunks/points'
  const points = async () => (await requestQdrant('POST', `${path}/count`, { exact: true })).count
  const chunks = async () =>
    Number((await at.sql`select count(*) as n from knowledge.chunks`)[0]!.n)
  const hybrid = async (kb: string) => (await at.search([kb], 'rent', {}, 'hybrid')).data
  /** Waits until Qdrant serves searches, that is, until its circuit is closed. */
  const waitForQdrant = (kb: string) =>
    expect.poll(async () => (await hybrid(kb)).backend, { timeout: 20_000 }).toBe('qdrant')

  test('a hybrid search sends one request to Qdrant', async () => {
    const kb = await at.createBase()
    const written = await at.upsert(kb, documents)
    expect(written.data.index).toEqual({ status: 'queued' })
    between.requests()
    const data = await hybrid(kb)
    expect(between.requests()).toBe(1)
    expect(data).toMatchObject({ backend: 'qdrant', degraded: false, reason: null })
    const byId = new Map(data.hits.map((hit: any) => [hit.document_id, hit.matched_by]))
    expect(byId.get('rent')).toEqual(['keyword', 'vector'])
    expect(byId.get('loan')).toEqual(['vector'])
    const vector = await at.search([kb], 'borrower', {}, 'vector')
    expect(vector.data.hits[0].document_id).toBe('loan')
  })

  test('deleting a file or a base deletes its points in Qdrant', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, documents)
    await at.post('/api/v1/internal/atomic/delete-by-file', { kb_id: kb, file_id: 'f' })
    expect(await at.searchIds([kb], 'tenant')).toEqual([])
    await at.runJobs()
    expect(await points()).toBe(await chunks())
    await at.call('DELETE', `${external}/bases/${kb}`, { headers: lawyer })
    await at.runJobs()
    expect(await points()).toBe(await chunks())
  })

  test.each(failures)(
    'when Qdrant fails with %s, the database answers and degraded is set',
    async (failure) => {
      const kb = await at.createBase()
      await at.upsert(kb, documents)
      await waitForQdrant(kb)
      await between.behave(failure)
      between.requests()
      for (const mode of ['keyword', 'hybrid']) {
        const { status, data } = await at.search([kb], 'rent', {}, mode)
        expect([status, data.backend, data.degraded, data.reason]).toEqual([
          ...[200, 'database', true],
          'search_engine_unavailable',
        ])
        expect(data.hits.map((hit: any) => hit.document_id)).toContain('rent')
      }
      // Some runtimes retry on another connection, so the count is a lower bound.
      if (failure !== 'refuse') expect(between.requests()).toBeGreaterThanOrEqual(2)
      const health = await at.fetch(new Request('http://test/api/v1/internal/actuator/health'))
      expect(await health.json()).toMatchObject({
        status: 'DEGRADED',
        components: { search: { status: 'DOWN' } },
      })
    },
  )

  test('after repeated failures Qdrant gets no requests until its circuit closes again', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, documents)
    await waitForQdrant(kb)
    await between.behave('error')
    for (let n = 0; n < 3; n++) await hybrid(kb)
    between.requests()
    expect(await hybrid(kb)).toMatchObject({ backend: 'database', degraded: true })
    expect(between.requests()).toBe(0)
    const metrics = await at.call('GET', '/api/v1/internal/actuator/prometheus')
    expect(metrics.text).toMatch(/^search_engine_failures_total [1-9]/m)
    await between.behave('pass')
    await waitForQdrant(kb)
  })

  test('a write during a Qdrant outage is found immediately and indexed after the outage', async () => {
    const kb = await at.createBase()
    await between.behave('error')
    const written = await at.upsert(kb, documents)
    expect(written.status).toBe(200)
    expect((await at.searchIds([kb], 'tenant'))[0]).toBe('rent')
    await between.behave('pass')
    await hurry()
    expect(await points()).toBe(await chunks())
  })

  test('the database serves searches after a renumbering until Qdrant has the new numbers', async () => {
    const kb = await at.createBase()
    const filler = Array.from({ length: 300 }, (_, index) => `filler ${index}`)
    await at.upsert(kb, [{ document_id: 'old', file_id: 'old', chunks: filler }])
    await at.upsert(kb, documents)
    await waitForQdrant(kb)
    await at.post(`${atomic}/delete-by-file`, { kb_id: kb, file_id: 'old' })
    await between.behave('error')
    await at.runJobs()
    const [base] =
      await at.sql`select shard, index_behind from knowledge.bases where id = ${kb}::uuid`
    expect(base!.index_behind).toBe(true)
    const [shard] = await at.sql`
      select next_seq, (select sum(chunks) from knowledge.bases base where base.shard = shard.no) as chunks
      from knowledge.shards shard where no = ${Number(base!.shard)}`
    expect(shard!.next_seq).toBe(shard!.chunks)
    const ids = (hits: any[]) => hits.map((hit) => hit.document_id).sort()
    const meanwhile = await at.search([kb], 'rent')
    expect(meanwhile.data).toMatchObject({ backend: 'database', degraded: false })
    expect(ids(meanwhile.data.hits)).toEqual(['both', 'rent'])
    await between.behave('pass')
    await hurry()
    await waitForQdrant(kb)
    expect(ids((await at.search([kb], 'rent')).data.hits)).toEqual(['both', 'rent'])
    expect(await points()).toBe(await chunks())
  })

  test('missing points are detected and restored', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, documents)
    const { points: some } = await requestQdrant('POST', `${path}/scroll`, { limit: 2 })
    const ids = some.map(({ id }: { id: number }) => id)
    await requestQdrant('POST', `${path}/delete?wait=true`, { points: ids })
    expect(await points()).toBeLessThan(await chunks())
    await tick()
    expect(await points()).toBe(await chunks())
  })

  test('changed and stray points are detected and repaired', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, documents)
    const all = async () =>
      (await requestQdrant('POST', `${path}/scroll`, { limit: 1_000 })).points.map((point: any) => [
        ...[point.id, point.payload],
      ])
    const before = await all()
    const [[first]] = before
    const odd = {
      vector: { words: { indices: [1], values: [1] } },
      payload: { fingerprint: 'odd' },
    }
    await requestQdrant('PUT', `${path}?wait=true`, {
      points: [
        { id: first, ...odd },
        { id: 2 ** 40, ...odd },
      ],
    })
    await requestQdrant('POST', `${path}/delete?wait=true`, { points: [before.at(-1)[0]] })
    expect(await points()).toBe(await chunks())
    await at.sql`update knowledge.indexes set checked_at = null`
    await tick()
    expect(await all()).toEqual(before)
  })

  test('a deleted collection is rebuilt', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, documents)
    await requestQdrant('DELETE', '/collections/knowledge_chunks_v1')
    const meanwhile = await at.search([kb], 'tenant')
    expect(meanwhile.data).toMatchObject({ backend: 'database', degraded: true })
    await tick()
    expect(await points()).toBe(await chunks())
    await waitForQdrant(kb)
  })

  test('a deleted alias is created again', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, documents)
    const actions = [{ delete_alias: { alias_name: 'knowledge_chunks' } }]
    await requestQdrant('POST', '/collections/aliases', { actions })
    expect(await hybrid(kb)).toMatchObject({ backend: 'database', degraded: true })
    await tick()
    await waitForQdrant(kb)
  })
})
