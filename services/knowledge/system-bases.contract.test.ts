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
let id: string
const kb = 'sys_statutes'
const search = '/api/v1/internal/search'
const noOrganization = { 'x-organization-id': undefined }
const manager = { ...lawyer, 'x-is-superuser': 'true', 'x-permissions': 'collector:manage' }

const importLaw = (content: string, source?: object) =>
  at.post(`${seed}/system-kb-documents/import`, {
    kb: { name: kb },
    documents: [{ document_id: 'law', doc_type: 'statute', title: 'Loan Law', content }],
    ...(source ? { source } : {}),
  })

const forgedImport = (kb_id: string, document_id = 'forged') => ({
  documents: [
    {
      ...{ kb_id, document_id, file_id: 'f', doc_type: 'statute', title: 'Forged Law' },
      chunks: [{ chunk_index: 0, content: '第一条 Loans are never repaid.' }],
    },
  ],
})

beforeAll(async () => {
  at = await stageKnowledge()
  expect((await importLaw('Article 1 Repay.', { package_id: 'laws' })).status).toBe(200)
  const { data } = await at.get(`${external}/bases?size=200`, lawyer)
  id = data.items.find(({ name }: { name: string }) => name === kb).id
})
afterAll(() => at.close())

describe('a system base', () => {
  test.each([
    ['a lawyer', lawyer],
    ['a manager of collections', manager],
    ['a service without an organization', noOrganization],
  ])('every write of %s to a system base is rejected with 403', async (_, headers) => {
    for (const kb_id of [kb, id]) {
      const writes = [
        at.post(`${atomic}/batch-upsert`, forgedImport(kb_id), headers),
        at.post(`${atomic}/batch-upsert`, forgedImport(kb_id, 'law'), headers),
        at.post(`${atomic}/delete-by-file`, { kb_id, file_id: 'f' }, headers),
      ]
      for (const { status, code } of await Promise.all(writes)) {
        expect([status, code]).toEqual([403, 'FORBIDDEN'])
      }
    }
    const { data } = await at.post(`${atomic}/document`, { kb_id: kb, document_id: 'law' })
    expect(data.content).toBe('Article 1 Repay.')
  })

  test('a batch that names a tenant base and a system base is rejected and writes nothing', async () => {
    const own = await at.createBase()
    const documents = [...forgedImport(own).documents, ...forgedImport(kb).documents]
    expect((await at.post(`${atomic}/batch-upsert`, { documents })).status).toBe(403)
    expect(await at.searchIds([own], 'Forged')).toEqual([])
  })

  test('a job that locks a system base by its number as a tenant fails with FORBIDDEN', async () => {
    await at.sql`
      insert into knowledge.files (base, file_id, doc_type, metadata, status)
      select no, 'f', 'statute', '{}', 'PENDING' from knowledge.bases where id = ${id}`
    const [{ no }] = (await at.sql`select no from knowledge.bases where id = ${id}`) as any
    const { lockBase } = await import('./lock-base.ts')
    await expect(at.sql.transaction((sql) => lockBase(sql, no, 'tenant'))).rejects.toMatchObject({
      kind: 'FORBIDDEN',
    })
  })

  test('only a service can reindex a system base', async () => {
    const reindex = (headers: object) =>
      at.post(`${search}/reindex-by-file`, { kb_id: kb, file_id: 'f' }, { ...lawyer, ...headers })
    expect((await reindex({})).status).toBe(403)
    expect((await reindex(noOrganization)).status).toBe(202)
    expect((await at.post(`${search}/reindex-batch`, { kb_ids: [kb] })).status).toBe(403)
    expect((await at.post(`${search}/reindex-batch`, {})).status).toBe(202)
  })

  test('a document that no package owns is listed and can be deleted', async () => {
    // A forged document from before tenants were rejected.
    await at.sql`
      insert into knowledge.documents (base, document_id, doc_type, title, metadata, law_keys, law_terms, hash)
      select no, 'old-forgery', 'statute', 'Forged Law', '{}', '{}', '{}', 'h'
      from knowledge.bases where id = ${id}`
    const path = `${seed}/system-kb-documents/unowned`
    const list = async () => (await at.get(`${path}?kb=${kb}`)).data.items
    expect(await list()).toMatchObject([{ kb_name: kb, document_id: 'old-forgery' }])
    const document_ids = ['old-forgery', 'law']
    const { data } = await at.post(`${path}/delete`, { kb, document_ids })
    expect(data).toEqual({ documents: 1, chunks: 0 })
    expect(await list()).toEqual([])
    expect((await at.post(`${atomic}/document`, { kb_id: kb, document_id: 'law' })).status).toBe(
      200,
    )
  })

  test('unowned documents of tenants are neither listed nor deleted', async () => {
    const own = await at.createBase()
    await at.upsert(own, [{ document_id: 'd', chunks: ['replevin'] }])
    const path = `${seed}/system-kb-documents/unowned`
    expect((await at.get(path)).data.items).toEqual([])
    await at.post(`${path}/delete`, { kb: own, document_ids: ['d'] })
    expect(await at.searchIds([own], 'replevin')).toEqual(['d'])
  })
})
