import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, stage } from '../../tests/support/stage.ts'
import platform from './service.ts'

let at: Stage
beforeAll(async () => {
  at = await stage(platform)
})
afterAll(() => at.close())

const path = '/api/v1/internal/platform'
const post = (where: string, body: unknown) => at.call('POST', `${path}/${where}/batch`, { body })
const read = async (where: string) => (await at.call('GET', `/api/v1/${where}`)).data

describe('a batch of feature flags', () => {
  const write = async (flags: unknown, more = {}) =>
    (await post('feature-flags', { flags, ...more })).data

  test('a batch creates new records, updates different ones and keeps the rest', async () => {
    const rules = [{ percentage: 10 }]
    await write([
      { key: 'same', enabled: true, description: 'kept', rules },
      { key: 'other', enabled: true },
    ])
    const next = [{ key: 'same', rules }, { key: 'other', enabled: false }, { key: 'new' }]
    const planned = await write(next, { dry_run: true })
    expect(planned).toEqual({ created: 1, updated: 1, unchanged: 1 })
    expect(await read('feature-flags/other')).toMatchObject({ enabled: true, version: 1 })
    expect(await write(next)).toEqual(planned)
    expect(await read('feature-flags/same')).toMatchObject({ description: 'kept', version: 1 })
    expect(await read('feature-flags/other')).toMatchObject({ enabled: false, version: 2 })
    expect(await read('feature-flags/new')).toMatchObject({ enabled: false, rules: [] })
  })

  test('the digest changes when a record to replace changes', async () => {
    await write([{ key: 'moved', enabled: true, description: 'a' }])
    const next = [{ key: 'moved', enabled: false }]
    const digest = async () => (await write(next, { dry_run: true, digest: true })).digest
    const before = await digest()
    expect(await digest()).toBe(before)
    await write([{ key: 'moved', description: 'b' }])
    expect(await digest()).not.toBe(before)
    await write(next)
    expect(await digest()).toBe('')
  })

  test('an invalid batch changes nothing', async () => {
    const flags = [{ key: 'fine' }, { key: 'fine' }]
    const refused = await post('feature-flags', { flags })
    expect([refused.status, refused.data.issues[0].path]).toEqual([400, 'flags.1.key'])
    expect((await at.call('GET', '/api/v1/feature-flags/fine')).status).toBe(404)
  })
})

describe('a batch of tags', () => {
  const write = async (body: object) => (await post('tags', body)).data
  const body = {
    tag_groups: [{ key: 'g', name: 'Group' }],
    tags: [
      { key: 'g.a', name: 'A', group_key: 'g' },
      { key: 'alone', name: 'Alone' },
    ],
    categories: [
      { key: 'child', name: 'Child', parent_key: 'parent' },
      { key: 'parent', name: 'Parent', parent_key: null },
    ],
    domains: [{ key: 'civil', name: 'Civil', description: 'law' }],
  }

  test('references are resolved in any order', async () => {
    const planned = await write({ ...body, dry_run: true })
    expect(planned).toEqual({ created: 6, updated: 0, unchanged: 0 })
    expect((await read('tags')).total).toBe(0)
    expect(await write(body)).toEqual(planned)
    expect(await write(body)).toEqual({ created: 0, updated: 0, unchanged: 6 })
    const [group] = (await read('tag-groups')).items
    const tags = (await read('tags')).items
    expect(tags.map((each: any) => [each.key, each.group_id])).toEqual([
      ['alone', null],
      ['g.a', group.id],
    ])
    expect((await read('categories')).items[0].children[0].key).toBe('child')
  })

  test('a batch updates given fields and keeps omitted ones', async () => {
    const next = {
      tags: [{ key: 'g.a', name: 'B' }],
      categories: [{ key: 'child', name: 'Child', parent_key: null }],
    }
    const planned = await write({ ...next, dry_run: true, digest: true })
    expect(planned).toMatchObject({ created: 0, updated: 2, unchanged: 0 })
    expect(await write(next)).toEqual({ created: 0, updated: 2, unchanged: 0 })
    const tags = (await read('tags')).items
    expect(tags.find((each: any) => each.key === 'g.a')).toMatchObject({ name: 'B' })
    expect(tags.find((each: any) => each.key === 'g.a').group_id).not.toBeNull()
    expect((await read('categories')).total).toBe(2)
    expect((await write({ ...next, dry_run: true, digest: true })).digest).toBe('')
  })

  test('unknown groups and cycles are 400 and change nothing', async () => {
    const unknown = await post('tags', {
      domains: [{ key: 'lost', name: 'Lost' }],
      tags: [{ key: 't', name: 'T', group_key: 'nowhere' }],
    })
    expect([unknown.status, unknown.data.issues[0].path]).toEqual([400, 'tags.0.group_key'])
    const circle = await post('tags', {
      categories: [
        { key: 'x', name: 'X', parent_key: 'y' },
        { key: 'y', name: 'Y', parent_key: 'x' },
      ],
    })
    expect([circle.status, circle.data.issues[0].path]).toEqual([400, 'categories'])
    expect((await read('domains')).items.map((each: any) => each.key)).toEqual(['civil'])
    expect((await read('categories')).total).toBe(2)
  })
})
