import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MatterStage, path, stageMatter } from '../../tests/support/matter.ts'

let at: MatterStage
beforeAll(async () => {
  at = await stageMatter()
})
afterAll(() => at.close())

const upsert = (id: string, todo_key: string, more = {}, headers = {}) =>
  at.post(`${path}/${id}/todos`, { todo_key, ...more }, headers)
const complete = (id: string, todo: string, body: object = {}) =>
  at.post(`${path}/${id}/todos/${encodeURIComponent(todo)}/complete`, body)

describe('a todo', () => {
  test('a new todo_key creates a todo', async () => {
    const { id } = await at.createMatter()
    const bare = await upsert(id, 'bare')
    expect([bare.status, bare.data]).toEqual([
      201,
      {
        id: expect.any(String),
        todo_key: 'bare',
        title: 'bare',
        actor: 'client',
        review_type: null,
        status: 'OPEN',
        payload: {},
        result: null,
        due_at: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
    const input = {
      title: 'Confirm',
      actor: 'lawyer',
      review_type: 'confirm',
      payload: { questions: [{ field_key: 'a.b' }] },
      due_at: '2027-01-01T08:00:00+08:00',
    }
    const full = await upsert(id, 'full', input)
    expect(full.data).toMatchObject({ ...input, due_at: '2027-01-01T00:00:00.000Z' })
    expect((await at.matter(id)).version).toBe(3)
  })

  test('an existing todo_key updates the given fields', async () => {
    const { id } = await at.createMatter()
    const input = { title: 'A', review_type: 'confirm', due_at: '2027-01-01T00:00:00Z' }
    const { data: created } = await upsert(id, 'k', { ...input, payload: { a: 1 } })
    const again = await upsert(id, 'k', { title: 'A' })
    expect([again.status, again.data]).toEqual([200, created])
    const changed = await upsert(id, 'k', { payload: null, due_at: null, review_type: null })
    expect([changed.status, changed.data]).toEqual([
      200,
      {
        ...created,
        payload: null,
        due_at: null,
        review_type: null,
        updated_at: changed.data.updated_at,
      },
    ])
    expect((await at.matter(id)).version).toBe(3)
    const [event] = (await at.timeline(id)).events
    expect(event).toMatchObject({
      type: 'todo.updated',
      from: { payload: { a: 1 }, review_type: 'confirm' },
      to: { payload: null, review_type: null },
    })
  })

  test('a todo is completed once, by key or by id', async () => {
    const { id } = await at.createMatter()
    const { data: first } = await upsert(id, 'first')
    await upsert(id, 'second/第二')
    const done = await complete(id, 'first', { result: { sure: true, how: 1 } })
    expect([done.status, done.data.status, done.data.result]).toEqual([
      200,
      'DONE',
      { sure: true, how: 1 },
    ])
    expect((await complete(id, first.id, { result: { how: 1, sure: true } })).data).toEqual(
      done.data,
    )
    const other = await complete(id, 'first', { result: 'other' })
    expect([other.status, other.code]).toEqual([409, 'CONFLICT'])
    expect((await complete(id, 'second/第二')).data).toMatchObject({ status: 'DONE', result: null })
    expect((await at.matter(id)).version).toBe(5)
    const [, event] = (await at.timeline(id)).events
    expect(event).toMatchObject({
      type: 'todo.completed',
      actor: 'u-1',
      from: { status: 'OPEN' },
      to: { status: 'DONE' },
    })
  })

  test('a repeated upsert does not reopen a done or cancelled todo', async () => {
    const { id } = await at.createMatter()
    await upsert(id, 'done', { title: 'A' })
    const { data: done } = await complete(id, 'done', { result: 1 })
    expect((await upsert(id, 'done', { title: 'B', status: 'OPEN' })).data).toEqual(done)
    await upsert(id, 'off')
    const { data: off } = await upsert(id, 'off', { status: 'CANCELLED' })
    expect(off.status).toBe('CANCELLED')
    expect((await upsert(id, 'off', { status: 'OPEN' })).data).toEqual(off)
    expect((await complete(id, 'off')).status).toBe(409)
  })

  test('of concurrent completions with different results one is stored', async () => {
    const { id } = await at.createMatter()
    await upsert(id, 'k')
    const responses = await Promise.all([1, 2, 3, 4].map((result) => complete(id, 'k', { result })))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    const [todo] = await at.todos(id)
    expect(todo).toEqual(responses.find(({ status }) => status === 200)!.data)
  })

  test('concurrent upserts create one todo', async () => {
    const { id } = await at.createMatter()
    const responses = await Promise.all(Array.from({ length: 8 }, () => upsert(id, 'k')))
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201])
    expect(await at.todos(id)).toHaveLength(1)
    expect((await at.matter(id)).version).toBe(2)
  })

  test('an Idempotency-Key returns the first todo', async () => {
    const { id } = await at.createMatter()
    const headers = { 'idempotency-key': 'todo' }
    const first = await upsert(id, 'k', {}, headers)
    const again = await upsert(id, 'k', {}, headers)
    expect([again.status, again.data]).toEqual([201, first.data])
  })

  test('an invalid todo is 400 and an unknown one 404', async () => {
    const { id } = await at.createMatter()
    const issue = async (key: string, more = {}) => {
      const { status, data } = await upsert(id, key, more)
      return [status, data.issues[0].path]
    }
    expect(await issue('')).toEqual([400, 'todo_key'])
    expect(await issue('x'.repeat(201))).toEqual([400, 'todo_key'])
    expect(await issue('k', { actor: 'operator' })).toEqual([400, 'actor'])
    expect(await issue('k', { status: 'OPENED' })).toEqual([400, 'status'])
    expect(await issue('k', { due_at: 'tomorrow' })).toEqual([400, 'due_at'])
    expect(await issue('k', { due_at: '0000-01-01T00:00:00Z' })).toEqual([400, 'due_at'])
    expect((await complete(id, 'nothing')).status).toBe(404)
    expect(await at.todos(id)).toEqual([])
  })

  test('todos are listed in order of creation and filtered by status and actor', async () => {
    const { id } = await at.createMatter()
    for (const key of ['c', 'a', 'b']) await upsert(id, key)
    await upsert(id, 'd', { actor: 'lawyer' })
    await complete(id, 'a')
    const keys = async (query: string) => {
      const { items } = await at.read(`${path}/${id}/todos?${query}`)
      return items.map((todo: any) => todo.todo_key)
    }
    expect(await keys('')).toEqual(['c', 'a', 'b', 'd'])
    expect(await keys('status=OPEN')).toEqual(['c', 'b', 'd'])
    expect(await keys('status=DONE&actor=client')).toEqual(['a'])
    expect(await keys('actor=lawyer')).toEqual(['d'])
    expect(await keys('size=1&page=2')).toEqual(['a'])
    expect((await at.call('GET', `${path}/${id}/todos?actor=me`)).status).toBe(400)
  })
})
