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

test('a document is looked up by the primary key, also while the planner expects an empty table', async () => {
  // The statement of a foreign key check, which a connection plans once.
  const plan = await at.sql.transaction(async (sql) => {
    await sql`set local plan_cache_mode = force_generic_plan`
    await sql.statement(`prepare lookup (int, text) as
      select 1 from only knowledge.documents where base = $1 and document_id = $2 for key share`)
    const lines = await sql`explain execute lookup (1, 'law')`
    await sql`deallocate lookup`
    return lines.flatMap((line) => Object.values(line)).join('\n')
  })
  expect(plan).toContain('documents_pkey')
})

test('the list of documents reads an index in its order', async () => {
  const plan = await at.sql.transaction(async (sql) => {
    await sql`set local enable_seqscan = off`
    await sql`set local enable_sort = off`
    const lines = await sql`
      explain select document_id from knowledge.documents
      where base = 1 and title_key is not null order by title_key, document_id limit 10`
    return lines.flatMap((line) => Object.values(line)).join('\n')
  })
  expect(plan).toContain('documents_title')
  expect(plan).not.toContain('Sort')
})
