import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import memory from './service.ts'

let at: Stage
beforeAll(async () => {
  at = await stage(memory)
})
afterAll(() => at.close())

const path = '/api/v1/internal/memory'
const create = (user_id: string, entity_key: string, more: object = {}, headers = {}) => {
  const base = { scope: 'global', category: 'preference', content: `${Math.random()}` }
  const body = { ...base, user_id, entity_key, ...more }
  return at.call('POST', `${path}/facts`, { body, headers })
}
const erase = (body: object, headers = {}) =>
  at.call('POST', '/api/v1/internal/erasure', { body, headers })
const count = async (user: string, headers = {}) =>
  (await at.call('GET', `${path}/users/${user}/facts`, { headers })).data.total

test('the facts of a user are erased, those of others and of other organizations stay', async () => {
  const other = { 'x-organization-id': 'other' }
  await create('gone', 'a')
  await create('gone', 'a')
  await create('gone', 'b')
  await create('stays', 'a')
  await create('gone', 'a', {}, other)
  const counts = { facts: 2, conflicts: 1, reconciliations: 0 }
  expect((await erase({ user_id: 'gone', dry_run: true })).data.erased).toEqual(counts)
  expect(await count('gone')).toBe(2)
  expect((await erase({ user_id: 'gone' })).data.erased).toEqual(counts)
  expect((await erase({ user_id: 'gone' })).data.erased.facts).toBe(0)
  expect([await count('gone'), await count('stays'), await count('gone', other)]).toEqual([0, 1, 1])
})

test('the facts of a matter are those of its case', async () => {
  for (const case_id of ['m-1', 'm-2']) await create('c', case_id, { scope: 'case', case_id })
  await create('c', 'global')
  expect((await erase({ matter_id: 'm-1' })).data.erased.facts).toBe(1)
  expect(await count('c')).toBe(2)
})

test('an erasure needs an organization and one subject', async () => {
  expect((await erase({ user_id: 'x' }, { 'x-organization-id': undefined })).status).toBe(400)
  for (const body of [{}, { user_id: 'x', matter_id: 'y' }])
    expect((await erase(body)).status).toBe(400)
})
