import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { dims, embeddingServer, embedText } from '../../../tests/support/embedding.ts'
import { atomic, type KnowledgeStage, stageKnowledge } from '../../../tests/support/knowledge.ts'
import { deleteOrphanedVectors } from './vectors.ts'

let at: KnowledgeStage
let api: Awaited<ReturnType<typeof embeddingServer>>
beforeAll(async () => {
  api = await embeddingServer()
  at = await stageKnowledge({ env: api.variables })
})
afterAll(async () => {
  await at.close()
  await api.close()
})
afterEach(() => api.behave('answer'))

const documents = [
  { document_id: 'rent', chunks: ['the tenant pays rent every month'] },
  { document_id: 'loan', chunks: ['the borrower repays a loan'] },
  { document_id: 'both', chunks: ['rent and loan are debts'] },
]

describe('with an embedding API', () => {
  test('vectors are created by a job after the write and are then found', async () => {
    const kb = await at.createBase()
    const written = await at.upsert(kb, documents)
    expect(written.data.index).toEqual({ status: 'queued' })
    expect((await at.search([kb], 'borrower loan', {}, 'vector')).data.hits).toEqual([])
    await at.runJobs()
    const { data } = await at.search([kb], 'borrower loan', {}, 'vector')
    expect(data).toMatchObject({ backend: 'database', degraded: false, reason: null })
    expect(data.hits[0]).toMatchObject({ document_id: 'loan', matched_by: ['vector'] })
    expect(data.hits).toHaveLength(3)
  })

  test('a vector is deleted only when no base contains its text', async () => {
    const [one, two] = [await at.createBase(), await at.createBase({ 'x-organization-id': 'b' })]
    const own = [{ document_id: 'd', file_id: 'f', chunks: ['escrow of the deed'] }]
    await at.upsert(one, own)
    await at.sql`
      insert into knowledge.documents (base, document_id, doc_type, title, metadata, law_keys, law_terms, hash)
      select no, 'd', 'memo', 'd', '{}', '{}', '{}', 'h' from knowledge.bases where id = ${two}`
    await at.sql`
      insert into knowledge.chunks (base, seq, document_id, chunk_index, content, metadata, hash, words)
      select base.no, 0, 'd', 0, chunk.content, '{}', chunk.hash, 1
      from knowledge.chunks chunk, knowledge.bases base
      where base.id = ${two} and chunk.content = 'escrow of the deed'`
    await at.runJobs()
    const vectors = async () =>
      (
        await at.sql`
          select from knowledge.embeddings where hash = (
            select encode(sha256('escrow of the deed'), 'hex'))`
      ).length
    await at.sql`update knowledge.embeddings set created_at = now() - interval '1 day'`
    expect(await vectors()).toBe(1)
    await at.post(`${atomic}/delete-by-file`, { kb_id: one, file_id: 'f' })
    await deleteOrphanedVectors(at.sql)
    expect(await vectors()).toBe(1)
    await at.sql`delete from knowledge.documents where base = (
      select no from knowledge.bases where id = ${two})`
    await deleteOrphanedVectors(at.sql)
    expect(await vectors()).toBe(0)
  })

  test('hybrid search fuses keyword and vector hits, each chunk once', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, documents)
    await at.runJobs()
    const { data } = await at.search([kb], 'rent', {}, 'hybrid')
    expect(data.degraded).toBe(false)
    const ids = data.hits.map((hit: any) => hit.document_id)
    expect([...ids].sort()).toEqual(['both', 'loan', 'rent'])
    expect(data.hits.find((hit: any) => hit.document_id === 'rent').matched_by).toEqual([
      'keyword',
      'vector',
    ])
    expect(data.hits.find((hit: any) => hit.document_id === 'loan').matched_by).toEqual(['vector'])
    expect(data.hits[0].score).toBeGreaterThan(1 / 3)
    expect(data.hits[2].score).toBeCloseTo(1 / 5, 6)
  })

  test('unchanged content is not embedded again', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, [{ document_id: 'd', chunks: ['first content', 'second content'] }])
    await at.runJobs()
    api.takeInputs()
    await at.upsert(kb, [
      { document_id: 'd', title: 'Other', chunks: ['first content', 'third content'] },
      { document_id: 'e', chunks: ['second content'] },
    ])
    await at.runJobs()
    expect(api.takeInputs()).toEqual(['third content'])
  })

  test('filters and as_of apply to vector search', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, [
      ...documents,
      { document_id: 'old', metadata: { effective_to: '2000-01-01' }, chunks: ['a loan of old'] },
    ])
    await at.runJobs()
    const ids = async (more: object) =>
      (await at.search([kb], 'loan', more, 'vector')).data.hits.map((hit: any) => hit.document_id)
    expect(await ids({ filters: { document_ids: ['rent'] } })).toEqual(['rent'])
    expect(await ids({})).not.toContain('old')
    expect(await ids({ as_of: '1999-01-01' })).toContain('old')
  })

  test.each(['error', 'garbage', 'nothing', 'refuse'] as const)(
    'if the embedding API answers with %s, keyword search is used and degraded is set',
    async (behaviour) => {
      const kb = await at.createBase()
      await at.upsert(kb, documents)
      await at.runJobs()
      // A successful request closes the circuit, so each of the following searches sends a request.
      expect((await at.search([kb], 'rent', {}, 'vector')).data.degraded).toBe(false)
      api.behave(behaviour)
      api.takeInputs()
      for (const mode of ['vector', 'hybrid']) {
        const { data } = await at.search([kb], 'rent', {}, mode)
        expect([data.degraded, data.reason]).toEqual([true, 'embedding_unavailable'])
        expect(data.hits.map((hit: any) => hit.document_id)).toContain('rent')
      }
      expect(api.takeInputs()).toEqual(['rent', 'rent'])
    },
  )

  test('a vector with the wrong number of dimensions is rejected', async () => {
    const kb = await at.createBase()
    const chunk = { content: 'x', embedding: [1, 2, 3] }
    const refused = await at.upsert(kb, [{ document_id: 'd', chunks: [chunk] }])
    expect([refused.status, refused.data.issues[0].path]).toEqual([
      400,
      'documents.0.chunks.0.embedding',
    ])
    const right = { content: 'y', embedding: new Array(dims).fill(0.5) }
    const accepted = await at.upsert(kb, [{ document_id: 'd', chunks: [right] }])
    expect(accepted.data.index).toEqual({ status: 'ok' })
    const response = await at.post(`${atomic}/vector-search`, { kb_ids: [kb], vector: [1, 2, 3] })
    expect([response.status, response.data.issues[0].path]).toEqual([400, 'vector'])
    const fits = { kb_ids: [kb], vector: new Array(dims).fill(1) }
    expect((await at.post(`${atomic}/vector-search`, fits)).data.hits).toHaveLength(1)
  })

  test('a text that the API rejects does not prevent the embedding of other texts', async () => {
    const kb = await at.createBase()
    const texts = Array.from({ length: 40 }, (_, n) => `usual text ${n}`)
    await at.upsert(kb, [{ document_id: 'd', chunks: [...texts, 'indigestible text'] }])
    await at.runJobs()
    const question = { kb_ids: [kb], vector: embedText('usual text 7'), top_k: 100 }
    const { data } = await at.post(`${atomic}/vector-search`, question)
    expect(data.hits).toHaveLength(40)
    api.takeInputs()
    await at.post('/api/v1/internal/search/reindex-batch', { kb_ids: [kb] })
    await at.runJobs()
    expect(api.takeInputs()).toEqual([])
  })

  test('texts whose embed job is DEAD are embedded after the next tick', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, [{ document_id: 'd', chunks: ['very late vector'] }])
    await at.sql`update knowledge.jobs set status = 'DEAD' where kind = 'embed'`
    await at.call('POST', '/api/v1/internal/actuator/tick')
    await at.runJobs()
    const remaining = await at.sql`
      select from knowledge.embeddings join knowledge.chunks using (hash)
      where content = 'very late vector'`
    expect(remaining).toHaveLength(1)
  })

  test('texts are embedded after a temporary failure of the API', async () => {
    const kb = await at.createBase()
    api.behave('refuse')
    await at.upsert(kb, [{ document_id: 'd', chunks: ['late vector'] }])
    await at.runJobs()
    api.behave('answer')
    await at.sql`update knowledge.jobs set run_at = now() where status = 'PENDING'`
    await at.runJobs()
    expect(api.takeInputs()).toContain('late vector')
    const remaining = await at.sql`
      select from knowledge.embeddings join knowledge.chunks using (hash)
      where content = 'late vector'`
    expect(remaining).toHaveLength(1)
  })
})
