import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type KnowledgeStage, stageKnowledge } from '../../../tests/support/knowledge.ts'
import { acknowledge, enqueueChunks, nextBatch, withoutQueued } from './change-queue.ts'

let at: KnowledgeStage
beforeAll(async () => {
  at = await stageKnowledge()
  await at.sql`insert into knowledge.indexes (collection) values ('one'), ('two')`
  await at.sql`insert into knowledge.indexes (collection, retired_at) values ('gone', now())`
})
afterAll(() => at.close())
beforeEach(async () => {
  await at.sql`delete from knowledge.index_changes`
})

const seqs = async (collection: string) =>
  (await nextBatch(at.sql, collection, 100)).map(({ seq }) => seq)

test('a change is queued for every collection that is not retired', async () => {
  await enqueueChunks(at.sql, 1, [5, 3])
  for (const collection of ['one', 'two']) expect((await seqs(collection)).sort()).toEqual([3, 5])
  expect(await seqs('gone')).toEqual([])
  await acknowledge(at.sql, 'one', await nextBatch(at.sql, 'one', 1))
  expect([(await seqs('one')).length, (await seqs('two')).length]).toEqual([1, 2])
})

test('a change that is queued again during delivery stays in the queue', async () => {
  await enqueueChunks(at.sql, 1, [1, 2])
  const batch = await nextBatch(at.sql, 'one', 100)
  await enqueueChunks(at.sql, 1, [2])
  await acknowledge(at.sql, 'one', batch)
  expect(await seqs('one')).toEqual([2])
})

test('changes that two workers delivered concurrently are queued again', async () => {
  await enqueueChunks(at.sql, 1, [1, 2])
  const slow = await nextBatch(at.sql, 'one', 100)
  await enqueueChunks(at.sql, 1, [2])
  const quick = await nextBatch(at.sql, 'one', 100)
  await acknowledge(at.sql, 'one', quick)
  expect(await seqs('one')).toEqual([])
  await acknowledge(at.sql, 'one', slow)
  expect((await seqs('one')).sort()).toEqual([1, 2])
})

test('withoutQueued returns the chunks that have no queued change', async () => {
  await enqueueChunks(at.sql, 1, [1])
  const places = [
    { base: 1, seq: 1 },
    { base: 1, seq: 2 },
  ]
  expect(await withoutQueued(at.sql, 'one', places)).toEqual([{ base: 1, seq: 2 }])
})
