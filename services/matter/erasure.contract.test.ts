import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MatterStage, path, stageMatter } from '../../tests/support/matter.ts'

let at: MatterStage
beforeAll(async () => {
  at = await stageMatter()
})
afterAll(() => at.close())

const erase = (body: object, headers = {}) => at.post('/api/v1/internal/erasure', body, headers)
const status = async (id: string) => (await at.call('GET', `${path}/${id}`)).status

const createFull = async (user_id: string, file_ids: string[], more: object = {}) => {
  const { id } = await at.createMatter({ user_id, file_ids, ...more })
  await at.sync(id, {
    sync_key: 's',
    phases: [{ phase_id: 'p' }],
    todos: [{ todo_key: 't' }],
    deliverables: [{ deliverable_key: 'd', file_id: `deliverable-${user_id}` }],
    facts: [{ entity_key: 'f', content: 'c' }],
  })
  await at.sync(id, {
    deliverables: [{ deliverable_key: 'd', file_id: `deliverable-${user_id}-2` }],
  })
  await at.post(`/api/v1/internal/matters/${id}/analysis/versions/allocate`)
  const submission = { version: 1, items: [1] }
  await at.post(`/api/v1/internal/matters/${id}/issues/submit`, submission)
  return id as string
}

test('the matters of a client are erased with everything that belongs to them', async () => {
  const id = await createFull('gone', ['own', 'shared'])
  const other = await createFull('stays', ['shared'], { lawyer_id: 'gone' })
  const counts = { matters: 1, todos: 1, phases: 1, deliverables: 1, facts: 1, submissions: 1 }
  const expected = { matter_ids: [id], file_ids: ['deliverable-gone', 'deliverable-gone-2', 'own'] }
  const planned = (await erase({ user_id: 'gone', dry_run: true })).data
  expect(planned).toMatchObject({ ...expected, erased: { ...counts, references: 1 } })
  expect(await status(id)).toBe(200)
  expect((await erase({ user_id: 'gone' })).data).toEqual(planned)
  expect([await status(id), await status(other)]).toEqual([404, 200])
  expect((await at.matter(other)).lawyer_id).toBe(null)
  expect((await erase({ user_id: 'gone' })).data.matter_ids).toEqual([])
})

test('one matter is erased and a matter of another organization stays', async () => {
  const [id, other] = [await createFull('c', []), await createFull('c', [])]
  const foreign = { 'x-organization-id': 'foreign' }
  expect((await erase({ matter_id: id }, foreign)).data.matter_ids).toEqual([])
  expect((await erase({ matter_id: 'not-a-uuid' })).data.matter_ids).toEqual([])
  expect((await erase({ matter_id: id })).data.matter_ids).toEqual([id])
  expect([await status(id), await status(other)]).toEqual([404, 200])
})

test('a write that waits for the erased matter is 404', async () => {
  const id = await createFull('racing', [])
  const syncs = Array.from({ length: 5 }, (_, n) => at.sync(id, { title: `T${n}` }))
  const [erased, ...responses] = await Promise.all([erase({ user_id: 'racing' }), ...syncs])
  expect(erased.data.matter_ids).toEqual([id])
  for (const response of responses) expect([200, 404]).toContain(response.status)
  expect(await at.sql`select 1 from matter.events where matter_id = ${id}`).toEqual([])
})
