import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import memory from './service.ts'

const facts = '/api/v1/internal/memory/facts'
const refine = '/api/v1/internal/memory/refine'

let at: Stage
beforeAll(async () => {
  at = await stage(memory)
})
afterAll(() => at.close())

const postFact = async (
  user_id: string,
  entity_key: string,
  content: string,
  more: object = {},
) => {
  const body = { user_id, scope: 'global', entity_key, category: 'preference', content, ...more }
  return (await at.call('POST', facts, { body })).data
}
const listFactKeys = async (user: string): Promise<string[]> => {
  const { data } = await at.call('GET', `/api/v1/internal/memory/users/${user}/facts`)
  return data.items.map((fact: any) => fact.entity_key).sort()
}

describe('refine', () => {
  test('similar facts are merged, others stay', async () => {
    await postFact('u', 'old', 'The client prefers email over phone calls.')
    const sure = await postFact('u', 'sure', 'the client prefers e-mail over phone calls')
    await postFact('u', 'new', 'The client prefers emails over phone calls!', { confidence: 0.5 })
    await postFact('u', 'other', 'The client prefers to meet in person')
    const { data } = await at.call('POST', refine, { body: { user_id: 'u' } })
    expect(data).toMatchObject({ examined: 4, merged: 2 })
    expect(data.facts.map((fact: any) => fact.id)).toEqual([sure.id])
    expect(await listFactKeys('u')).toEqual(['other', 'sure'])
    const recalled = await at.call('POST', '/api/v1/internal/memory/recall', {
      body: { user_id: 'u', query: 'phone calls' },
    })
    expect(recalled.data.facts.map((fact: any) => fact.entity_key)).toEqual(['sure'])
    const again = await at.call('POST', refine, { body: { user_id: 'u' } })
    expect(again.data).toEqual({ examined: 2, merged: 0, facts: [] })
  })

  test('a superseded fact is readable by id', async () => {
    const first = await postFact('readable', 'a', '偏好邮件沟通')
    await postFact('readable', 'b', '偏好邮件沟通。')
    await at.call('POST', refine, { body: { user_id: 'readable' } })
    const { status, data } = await at.call('GET', `${facts}/${first.id}`)
    expect([status, data.content]).toEqual([200, '偏好邮件沟通'])
    expect(await listFactKeys('readable')).toEqual(['b'])
  })

  test('a dry run returns the same counts and changes nothing', async () => {
    await postFact('dry', 'a', 'same words')
    await postFact('dry', 'b', 'Same words.')
    const dry = await at.call('POST', refine, { body: { user_id: 'dry', dry_run: true } })
    expect(dry.data).toMatchObject({ examined: 2, merged: 1 })
    expect(await listFactKeys('dry')).toEqual(['a', 'b'])
  })

  test('facts of different categories, scopes, cases, users or organizations are not merged', async () => {
    const text = 'exactly the same words'
    await postFact('apart', 'a', text)
    await postFact('apart', 'b', text, { category: 'user_profile' })
    await postFact('apart', 'c', text, { scope: 'case', case_id: 1 })
    await postFact('apart', 'd', text, { scope: 'case', case_id: 2 })
    await postFact('apart2', 'e', text)
    const { data } = await at.call('POST', refine, { body: { user_id: 'apart' } })
    expect(data).toEqual({ examined: 4, merged: 0, facts: [] })
    const other = { 'x-organization-id': 'other' }
    const elsewhere = await at.call('POST', refine, { body: { user_id: 'apart' }, headers: other })
    expect(elsewhere.data.examined).toBe(0)
  })

  test('refine with case_id merges only facts of that case', async () => {
    for (const case_id of ['1', '2']) {
      for (const key of ['a', 'b']) {
        await postFact('cases', `${key}${case_id}`, 'twice told', { scope: 'case', case_id })
      }
    }
    const body = { user_id: 'cases', scope: 'case', case_id: '1' }
    expect((await at.call('POST', refine, { body })).data).toMatchObject({ examined: 2, merged: 1 })
    expect(await listFactKeys('cases')).toHaveLength(3)
  })

  test('creating a fact with a superseded key restores it', async () => {
    await postFact('back', 'a', 'the same')
    await postFact('back', 'b', 'the same')
    await at.call('POST', refine, { body: { user_id: 'back' } })
    await postFact('back', 'a', 'something else now')
    expect(await listFactKeys('back')).toEqual(['a', 'b'])
  })
})
