import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  atomic,
  external,
  type KnowledgeStage,
  lawyer,
  seed,
  stageKnowledge,
} from '../../tests/support/knowledge.ts'

let at: KnowledgeStage
let memo: string
let shared: string
const client = { 'x-user-id': 'client-1', 'x-user-type': 'client' }

beforeAll(async () => {
  at = await stageKnowledge()
  memo = await at.createBase()
  const body = { name: 'Guides', audience: 'clients' }
  const created = await at.post(`${external}/bases`, body, lawyer)
  expect(created.data).toMatchObject({ audience: 'clients' })
  shared = created.data.id
  await at.upsert(memo, [{ document_id: 'memo', file_id: 'f', chunks: ['estoppel strategy'] }])
  await at.upsert(shared, [{ document_id: 'guide', chunks: ['estoppel explained'] }])
  await at.post(`${seed}/system-kb-documents/import`, {
    kb: { name: 'sys_public' },
    documents: [{ document_id: 'law', doc_type: 'statute', title: 'Law', content: 'estoppel law' }],
  })
})
afterAll(() => at.close())

const idsFor = async (path: string, headers: Record<string, string>) => {
  const { status, data } = await at.post(path, { query: 'estoppel' }, headers)
  expect(status).toBe(200)
  return data.hits.map((hit: { document_id: string }) => hit.document_id).sort()
}

const searches = [
  `${external}/query`,
  ...['keyword', 'vector', 'hybrid', 'graph-rag'].map((mode) => `${atomic}/${mode}-search`),
]

describe.each(searches)('%s', (path) => {
  test('a client finds chunks of shared and system bases, a lawyer of all bases', async () => {
    expect(await idsFor(path, client)).toEqual(['guide', 'law'])
    expect(await idsFor(path, lawyer)).toEqual(['guide', 'law', 'memo'])
    expect(await idsFor(path, {})).toEqual(['guide', 'law', 'memo'])
  })

  test('a client that names a base of the organization gets 404', async () => {
    const { status } = await at.post(path, { query: 'estoppel', kb_ids: [memo] }, client)
    expect(status).toBe(404)
  })
})

describe('a client', () => {
  test('a client can list and read a shared base but not a base of the organization', async () => {
    const { data } = await at.get(`${external}/bases?size=200`, client)
    const ids = data.items.map(({ id }: { id: string }) => id)
    expect([ids.includes(shared), ids.includes(memo)]).toEqual([true, false])
    const statuses = async (id: string, document_id: string) => [
      (await at.get(`${external}/bases/${id}`, client)).status,
      (await at.get(`${external}/bases/${id}/documents`, client)).status,
      (await at.get(`${external}/bases/${id}/files`, client)).status,
      (await at.post(`${atomic}/document`, { kb_id: id, document_id }, client)).status,
    ]
    expect(await statuses(memo, 'memo')).toEqual([404, 404, 404, 404])
    expect(await statuses(shared, 'guide')).toEqual([200, 200, 200, 200])
  })

  test('a client cannot update or delete a shared base', async () => {
    const path = `${external}/bases/${shared}`
    for (const method of ['PATCH', 'DELETE'] as const) {
      const { status } = await at.call(method, path, { body: { name: 'Mine' }, headers: client })
      expect(status).toBe(403)
    }
  })

  test('a client cannot see jobs of a base with audience organization', async () => {
    const body = { kb_id: memo, file_id: 'f' }
    const { data } = await at.post('/api/v1/internal/search/reindex-by-file', body)
    const path = `${external}/jobs/${data.job_id}`
    expect((await at.get(path, lawyer)).status).toBe(200)
    expect((await at.get(path, client)).status).toBe(404)
  })
})

test('the audience is organization by default and can be changed by a writer', async () => {
  const { data } = await at.post(`${external}/bases`, { name: 'Later shared' }, lawyer)
  expect(data.audience).toBe('organization')
  const path = `${external}/bases/${data.id}`
  expect((await at.get(path, client)).status).toBe(404)
  const patch = (body: object) => at.call('PATCH', path, { body, headers: lawyer })
  expect((await patch({ audience: 'everyone' })).status).toBe(400)
  expect((await patch({ audience: 'clients' })).data).toMatchObject({
    name: 'Later shared',
    audience: 'clients',
  })
  expect((await at.get(path, client)).status).toBe(200)
  expect((await patch({ name: 'sys_mine' })).status).toBe(403)
  expect((await patch({ name: 'Guides' })).status).toBe(409)
})
