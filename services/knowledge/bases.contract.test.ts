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
beforeAll(async () => {
  at = await stageKnowledge()
})
afterAll(() => at.close())

const otherOrganization = { 'x-organization-id': 'somebody-else' }
const path = `${external}/bases`

const importLaws = (name: string) =>
  at.post(`${seed}/system-kb-documents/import`, {
    kb: { name },
    documents: [
      { document_id: 'law', doc_type: 'statute', title: 'Loan Law', content: 'Article 1 Repay.' },
    ],
  })

describe('a knowledge base', () => {
  test('lawyers, firm admins and operators can create a base; clients get 403', async () => {
    const created = await at.post(path, { name: 'Precedents', description: 'Ours' }, lawyer)
    expect([created.status, created.data]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'Precedents',
        description: 'Ours',
        system: false,
        audience: 'organization',
        chunks: 0,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
    for (const type of ['client', undefined]) {
      const refused = await at.post(path, { name: 'x' }, { ...lawyer, 'x-user-type': type })
      expect([refused.status, refused.code]).toEqual([403, 'FORBIDDEN'])
    }
    for (const type of ['firm_admin', 'operator']) {
      const name = `By ${type}`
      expect((await at.post(path, { name }, { 'x-user-type': type })).status).toBe(201)
    }
  })

  test('a duplicate base name in the same organization gets 409', async () => {
    expect((await at.post(path, { name: 'Twin' }, lawyer)).status).toBe(201)
    const again = await at.post(path, { name: 'Twin' }, lawyer)
    expect([again.status, again.code]).toEqual([409, 'CONFLICT'])
    expect(
      (await at.post(path, { name: 'Twin' }, { ...lawyer, ...otherOrganization })).status,
    ).toBe(201)
  })

  test('creating a base twice with one Idempotency-Key returns the same base', async () => {
    const headers = { ...lawyer, 'idempotency-key': 'k1' }
    const first = await at.post(path, { name: 'Once' }, headers)
    const second = await at.post(path, { name: 'Once' }, headers)
    expect(second.data).toEqual(first.data)
  })

  test('every request for a base of another organization gets 404', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, [{ document_id: 'd', file_id: 'f', chunks: ['secret'] }])
    const calls = [
      at.get(`${path}/${kb}`, otherOrganization),
      at.get(`${path}/${kb}/documents`, otherOrganization),
      at.get(`${path}/${kb}/files`, otherOrganization),
      at.call('DELETE', `${path}/${kb}`, { headers: { ...lawyer, ...otherOrganization } }),
      at.post(`${atomic}/keyword-search`, { kb_ids: [kb], query: 'secret' }, otherOrganization),
      at.post(`${external}/query`, { kb_ids: [kb], query: 'secret' }, otherOrganization),
      at.post(`${atomic}/document`, { kb_id: kb, document_id: 'd' }, otherOrganization),
      at.post(`${atomic}/delete-by-file`, { kb_id: kb, file_id: 'f' }, otherOrganization),
      at.post(
        '/api/v1/internal/search/reindex-by-file',
        { kb_id: kb, file_id: 'f' },
        otherOrganization,
      ),
    ]
    for (const response of await Promise.all(calls))
      expect(response.status, response.text).toBe(404)
    const everywhere = await at.post(`${external}/query`, { query: 'secret' }, otherOrganization)
    expect(everywhere.data.hits).toEqual([])
    expect(await at.searchIds([kb], 'secret')).toEqual(['d'])
    const list = await at.get(`${path}?size=200`, otherOrganization)
    expect(list.data.items.map(({ id }: { id: string }) => id)).not.toContain(kb)
  })

  test('a deleted base with documents is no longer found', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, [{ document_id: 'd', chunks: ['x'] }])
    const gone = await at.call('DELETE', `${path}/${kb}`, { headers: lawyer })
    expect([gone.status, gone.data]).toEqual([200, { deleted: true }])
    expect((await at.get(`${path}/${kb}`)).status).toBe(404)
  })

  test('a large base is emptied in batches and deleted', async () => {
    const kb = await at.createBase()
    const documents = Array.from({ length: 120 }, (_, n) => ({
      document_id: `d${n}`,
      chunks: ['usufruct'],
    }))
    await at.upsert(kb, documents)
    await at.sql`update knowledge.bases set chunks = 20000 where id = ${kb}`
    const gone = await at.call('DELETE', `${path}/${kb}`, { headers: lawyer })
    expect([gone.status, gone.data]).toEqual([200, { deleted: true }])
    expect((await at.get(`${path}/${kb}`)).status).toBe(404)
    expect(await at.sql`select from knowledge.chunks where content = 'usufruct'`).toEqual([])
  })
})

describe('a system base', () => {
  test('every organization can read a system base by id and by name', async () => {
    expect((await importLaws('sys_read')).status).toBe(200)
    for (const headers of [{}, otherOrganization]) {
      const { data } = await at.get(`${path}?size=200`, headers)
      const base = data.items.find(({ name }: { name: string }) => name === 'sys_read')
      expect(base.system).toBe(true)
      for (const kb of ['sys_read', base.id]) {
        const found = await at.post(`${external}/query`, { kb_ids: [kb], query: 'repay' }, headers)
        expect(found.data.hits[0].kb_id).toBe(base.id)
      }
    }
  })

  test('external writes to a system base are rejected with 403', async () => {
    await importLaws('sys_fixed')
    const { data } = await at.get(`${path}?size=200`)
    const { id } = data.items.find(({ name }: { name: string }) => name === 'sys_fixed')
    const operator = { 'x-user-type': 'operator', 'x-is-superuser': 'true' }
    const file_id = '0190b8f4-0000-7000-8000-000000000000'
    const calls = [
      at.post(path, { name: 'sys_mine' }, operator),
      at.call('DELETE', `${path}/${id}`, { headers: operator }),
      at.post(`${path}/${id}/files`, { file_id }, operator),
      at.call('DELETE', `${path}/${id}/files/${file_id}`, { headers: operator }),
    ]
    for (const response of await Promise.all(calls)) {
      expect([response.status, response.code]).toEqual([403, 'FORBIDDEN'])
    }
  })
})

describe('the documents of a base', () => {
  test('documents of a base are returned in pages', async () => {
    const kb = await at.createBase()
    const ids = Array.from({ length: 5 }, (_, index) => `d${index}`)
    await at.upsert(
      kb,
      ids.map((document_id) => ({ document_id, chunks: ['x'] })),
    )
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => at.get(`${path}/${kb}/documents?page=${page}&size=2`)),
    )
    const items = pages.flatMap(({ data }) => data.items)
    expect(items.map(({ document_id }) => document_id)).toEqual(ids)
    expect(pages[3]!.data).toEqual({
      items: [],
      page: 4,
      size: 2,
      total: 5,
      total_pages: 3,
      next_cursor: null,
    })
  })
})
