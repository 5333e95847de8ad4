import { afterAll, beforeAll, expect, test } from 'vitest'
import { type KnowledgeStage, stageKnowledge } from '../../tests/support/knowledge.ts'

let at: KnowledgeStage
beforeAll(async () => {
  at = await stageKnowledge()
})
afterAll(() => at.close())

test('a chunk with unchanged content keeps its sequence number unless its article changes', async () => {
  const kb = await at.createBase()
  const upsertAndReadSeq = async (article: string, more = {}) => {
    const chunks = [{ content: 'a covenant', metadata: { article, ...more } }]
    await at.upsert(kb, [{ document_id: 'law', chunks }])
    const rows = await at.sql`
      select seq, article from knowledge.chunks where base =
        (select no from knowledge.bases where id = ${kb}::uuid)`
    expect(rows).toEqual([{ seq: expect.any(Number), article }])
    return rows[0]!.seq
  }
  const first = await upsertAndReadSeq('1')
  expect(await upsertAndReadSeq('1')).toBe(first)
  expect(await upsertAndReadSeq('1', { note: 'read again' })).toBe(first)
  expect(await upsertAndReadSeq('2')).not.toBe(first)
})
