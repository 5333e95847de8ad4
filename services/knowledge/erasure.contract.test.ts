import { afterAll, beforeAll, expect, test } from 'vitest'
import { type KnowledgeStage, stageKnowledge } from '../../tests/support/knowledge.ts'

let at: KnowledgeStage
beforeAll(async () => {
  at = await stageKnowledge()
})
afterAll(() => at.close())

const path = '/api/v1/internal/erasure'
const matter = '0190b8f4-0000-7000-8000-0000000000a1'

test('erasing a matter or a user deletes only their documents, and repeating it deletes nothing', async () => {
  const kb = await at.createBase()
  const otherOrganization = { 'x-organization-id': 'somebody-else' }
  const otherKb = await at.createBase(otherOrganization)
  const documents = [
    { document_id: 'of-matter', metadata: { matter_id: matter }, chunks: ['demurrage a', 'b'] },
    { document_id: 'of-user', metadata: { user_id: 'u1' }, chunks: ['demurrage c'] },
    { document_id: 'template', chunks: ['demurrage d'] },
  ]
  await at.upsert(kb, documents)
  await at.post(
    '/api/v1/internal/atomic/batch-upsert',
    {
      documents: [
        {
          ...{ kb_id: otherKb, document_id: 'x', doc_type: 'memo', title: 'x' },
          metadata: { matter_id: matter },
          chunks: [{ chunk_index: 0, content: 'demurrage' }],
        },
      ],
    },
    otherOrganization,
  )
  await at.sql`
    insert into knowledge.files (base, file_id, doc_type, metadata, status)
    select no, 'f', 'memo', ${`{"matter_id": "${matter}"}`}::text::jsonb, 'INDEXED'
    from knowledge.bases where id = ${kb}`
  const erase = async (body: object) => (await at.post(path, body)).data.erased

  expect(await erase({ matter_id: matter, dry_run: true })).toEqual({
    ...{ documents: 1, chunks: 2, files: 1 },
  })
  expect(await at.searchIds([kb], 'demurrage')).toContain('of-matter')
  expect(await erase({ matter_id: matter })).toEqual({ documents: 1, chunks: 2, files: 1 })
  expect(await erase({ matter_id: matter })).toEqual({ documents: 0, chunks: 0, files: 0 })
  expect(await erase({ user_id: 'u1' })).toMatchObject({ documents: 1 })
  expect(await at.searchIds([kb], 'demurrage')).toEqual(['template'])
  const { data } = await at.post(
    '/api/v1/internal/atomic/document',
    { kb_id: otherKb, document_id: 'x' },
    otherOrganization,
  )
  expect(data.chunks).toHaveLength(1)
})
