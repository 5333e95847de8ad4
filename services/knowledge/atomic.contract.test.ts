import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  atomic,
  external,
  type KnowledgeStage,
  stageKnowledge,
} from '../../tests/support/knowledge.ts'
import { testProject } from '../../tests/support/stage.ts'

let at: KnowledgeStage
beforeAll(async () => {
  at = await stageKnowledge()
})
afterAll(() => at.close())

describe('batch-upsert', () => {
  test('batch-upsert writes documents with their chunks', async () => {
    const kb = await at.createBase()
    const written = await at.upsert(kb, [
      { document_id: 'd1', chunks: ['A loan is repaid.', 'Interest is agreed.'] },
      { document_id: 'd2', chunks: ['A lease ends.'] },
    ])
    expect([written.status, written.data]).toEqual([
      200,
      { documents: 2, chunks: 3, index: { status: 'disabled' } },
    ])
    const response = await at.post(`${atomic}/document`, { kb_id: kb, document_id: 'd1' })
    expect(response.data).toMatchObject({
      kb_id: kb,
      document_id: 'd1',
      title: 'd1',
      doc_type: 'statute',
      content: 'A loan is repaid.\nInterest is agreed.',
      chunks: [{ chunk_index: 0, section_id: null }, { chunk_index: 1 }],
    })
  })

  test('upserting an existing document replaces all its chunks', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, [{ document_id: 'd', chunks: ['alpha', 'beta', 'gamma'] }])
    await at.upsert(kb, [{ document_id: 'd', title: 'New', chunks: ['alpha', 'delta'] }])
    const { data } = await at.post(`${atomic}/document`, { kb_id: kb, document_id: 'd' })
    expect([data.title, data.content]).toEqual(['New', 'alpha\ndelta'])
    expect(await at.searchIds([kb], 'beta')).toEqual([])
    expect(await at.searchIds([kb], 'gamma')).toEqual([])
    expect(await at.searchIds([kb], 'delta')).toEqual(['d'])
    expect(await at.searchIds([kb], 'alpha')).toEqual(['d'])
    const { data: base } = await at.get(`${external}/bases/${kb}`)
    expect(base.chunks).toBe(2)
  })

  test('chunks with unchanged content keep their sequence numbers when a document is replaced', async () => {
    const kb = await at.createBase()
    const places = async () =>
      (await at.sql`select seq from knowledge.chunks where content like 'kept%' order by seq`).map(
        ({ seq }) => seq,
      )
    await at.upsert(kb, [{ document_id: 'd', chunks: ['kept one', 'other', 'kept two'] }])
    const before = await places()
    const changed = { content: 'kept two', metadata: { page: 2 } }
    await at.upsert(kb, [{ document_id: 'd', chunks: ['kept one', 'another', changed] }])
    expect(await places()).toEqual(before)
    const { data } = await at.search([kb], 'two')
    expect(data.hits[0].metadata).toMatchObject({ page: 2 })
  })

  test('an upsert that names an unknown base gets 404 and writes nothing', async () => {
    const kb = await at.createBase()
    const document = { document_id: 'd', doc_type: 'x', title: 't', metadata: {}, chunks: [] }
    const unknown = '0190b8f4-0000-7000-8000-000000000000'
    const documents = [
      { ...document, kb_id: kb },
      { ...document, kb_id: unknown },
    ]
    const refused = await at.post(`${atomic}/batch-upsert`, { documents })
    expect([refused.status, refused.code]).toEqual([404, 'NOT_FOUND'])
    expect((await at.get(`${external}/bases/${kb}/documents`)).data.total).toBe(0)
  })

  test('an upsert with a duplicate document or chunk is rejected', async () => {
    const kb = await at.createBase()
    const twice = await at.upsert(kb, [
      { document_id: 'd', chunks: ['a'] },
      { document_id: 'd', chunks: ['b'] },
    ])
    expect(twice.data.issues[0].path).toBe('documents.1.document_id')
    const chunk = { chunk_index: 3, content: 'a' }
    const chunks = await at.upsert(kb, [{ document_id: 'd', chunks: [chunk, chunk] }])
    expect([chunks.status, chunks.data.issues[0].path]).toEqual([
      400,
      'documents.0.chunks.1.chunk_index',
    ])
  })

  test('batch-upsert accepts bodies of many megabytes', async () => {
    const kb = await at.createBase()
    const content = '合同约定的利息不得违反国家有关规定。'.repeat(4_000)
    const chunks = Array.from({ length: 20 }, (_, index) => ({ chunk_index: index, content }))
    const written = await at.upsert(kb, [{ document_id: 'large', chunks }])
    expect([written.status, written.data.chunks]).toEqual([200, 20])
  })

  // workerd closes the connection if the client is still sending the body after the response.
  test.skipIf(testProject === 'workerd')(
    'a body above the size limit is rejected with 413',
    async () => {
      const tooLarge = await at.call('POST', `${atomic}/batch-upsert`, {
        raw: `{"documents": [], "x": "${'x'.repeat(33 * 1024 * 1024)}"}`,
        headers: { 'content-type': 'application/json' },
      })
      expect(tooLarge.status).toBe(413)
    },
  )

  test('concurrent upserts into one base lose no chunk', async () => {
    const kb = await at.createBase()
    const ids = Array.from({ length: 8 }, (_, index) => `d${index}`)
    await Promise.all(
      ids.map((id) => at.upsert(kb, [{ document_id: id, chunks: [`shared ${id}`, 'shared'] }])),
    )
    const { data } = await at.search([kb], 'shared', { top_k: 100 })
    expect(data.hits).toHaveLength(16)
    for (const id of ids) expect(await at.searchIds([kb], id)).toEqual([id, id])
  })
})

describe('delete-by-file', () => {
  test('delete-by-file deletes the documents of the file and no others', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, [
      { document_id: 'a', file_id: 'f1', chunks: ['river', 'bank'] },
      { document_id: 'b', file_id: 'f1', chunks: ['river'] },
      { document_id: 'c', file_id: 'f2', chunks: ['river'] },
    ])
    const gone = await at.post(`${atomic}/delete-by-file`, { kb_id: kb, file_id: 'f1' })
    expect(gone.data).toEqual({ documents: 2, chunks: 3 })
    expect(await at.searchIds([kb], 'river')).toEqual(['c'])
    const again = await at.post(`${atomic}/delete-by-file`, { kb_id: kb, file_id: 'f1' })
    expect([again.status, again.data]).toEqual([200, { documents: 0, chunks: 0 }])
  })
})

describe('section', () => {
  test('a section is returned with the chunks of its subsections', async () => {
    const kb = await at.createBase()
    await at.upsert(kb, [
      {
        document_id: 'd',
        chunks: [
          { section_id: 'Chapter 1', content: 'Purpose' },
          { section_id: 'Chapter 1/Article 1', content: 'One' },
          { section_id: 'Chapter 10', content: 'Ten' },
        ],
      },
    ])
    const getSection = (section_id: string) =>
      at.post(`${atomic}/section`, { kb_id: kb, document_id: 'd', section_id })
    const chapter = await getSection('Chapter 1')
    expect([chapter.data.section_id, chapter.data.content]).toEqual(['Chapter 1', 'Purpose\nOne'])
    expect((await getSection('Chapter 2')).status).toBe(404)
    expect((await at.post(`${atomic}/document`, { kb_id: kb, document_id: 'x' })).status).toBe(404)
  })
})
