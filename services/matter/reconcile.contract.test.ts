import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  internal,
  type MatterStage,
  makePeer,
  path,
  stageMatter,
} from '../../tests/support/matter.ts'

const memory = makePeer(() => ({ created: 0, updated: 0, unchanged: 0, deleted: 0 }))

let at: MatterStage
beforeAll(async () => {
  at = await stageMatter({ peers: { 'memory-service': memory.peer } })
})
afterAll(() => at.close())
beforeEach(async () => {
  memory.state.down = false
  await at.sql`delete from matter.jobs`
  memory.requests.length = 0
})

const fact = (entity_key: string, content: string | null, more = {}) => ({
  entity_key,
  content,
  ...more,
})
/** Makes the retry of the job due now. */
const due = () => at.sql`update matter.jobs set run_at = now() where status = 'PENDING'`
const waiting = async () =>
  (await at.sql`select id from matter.jobs where status = 'PENDING'`).length

describe('the facts of a matter', () => {
  test('a job sends all facts to memory-service', async () => {
    const { id } = await at.createMatter({ user_id: 7 })
    const input = {
      category: 'evidence',
      value: { page: 1 },
      confidence: 0.5,
      metadata: { by: 'x' },
    }
    await at.sync(id, { facts: [fact('b', 'two', input), fact('a', 'one')] })
    expect(memory.requests).toEqual([])
    expect(await at.tick()).toBe(1)
    expect(memory.requests).toHaveLength(1)
    const [{ path, headers, body }] = memory.requests as any
    expect(path).toBe('/api/v1/internal/memory/reconcile')
    expect(headers.get('x-organization-id')).toBe('acme')
    expect(body).toEqual({
      user_id: '7',
      case_id: id,
      matter_version: 2,
      facts: [
        {
          entity_key: 'a',
          content: 'one',
          category: 'case_detail',
          value: null,
          confidence: 1,
          metadata: {},
        },
        { entity_key: 'b', content: 'two', ...input },
      ],
    })
    await at.sync(id, { facts: [fact('a', null), fact('b', 'two', input), fact('never', null)] })
    expect(await at.tick()).toBe(1)
    expect(memory.requests[1]!.body.facts.map((each: any) => each.entity_key)).toEqual(['b'])
  })

  test('unchanged facts are not sent again', async () => {
    const { id } = await at.createMatter()
    await at.sync(id, { facts: [fact('a', 'one', { value: { x: 1, y: 2 } })] })
    await at.tick()
    const { data } = await at.sync(id, {
      title: 'Other',
      facts: [fact('a', 'one', { value: { y: 2, x: 1 } }), fact('b', null)],
    })
    expect(data.changed).toMatchObject({ matter: 1, facts: 0 })
    await at.post(`${path}/${id}/status`, { status: 'ACTIVE' })
    await at.post(`${internal}/${id}/analysis/versions/allocate`)
    expect(await at.tick()).toBe(0)
  })

  test('several changes before the job runs are sent once', async () => {
    const { id } = await at.createMatter()
    for (const content of ['one', 'two', 'three'])
      await at.sync(id, { facts: [fact('a', content)] })
    expect(await at.tick()).toBe(1)
    expect(memory.requests.map(({ body }) => [body.matter_version, body.facts[0].content])).toEqual(
      [[4, 'three']],
    )
    expect(await at.tick()).toBe(0)
  })

  test('writes succeed while memory-service is down and facts are sent later', async () => {
    const { id } = await at.createMatter()
    memory.state.down = true
    const { status } = await at.sync(id, { facts: [fact('a', 'one')] })
    expect(status).toBe(200)
    for (let attempt = 0; attempt < 12; attempt++) {
      await due()
      expect(await at.tick()).toBe(1)
      expect(await waiting()).toBe(1)
    }
    await at.sync(id, { facts: [fact('a', 'two')] })
    expect(await waiting()).toBe(1)
    memory.state.down = false
    memory.requests.length = 0
    await due()
    // The circuit breaker of the peer may still be open.
    for (let attempt = 0; memory.requests.length === 0 && attempt < 100; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      await due()
      await at.tick()
    }
    expect(memory.requests.at(-1)!.body.facts).toMatchObject([{ content: 'two' }])
    expect(await waiting()).toBe(0)
  })

  test('facts of a rejected sync are not sent', async () => {
    const { id } = await at.createMatter()
    const { status } = await at.sync(id, { status: 'ARCHIVED', facts: [fact('a', 'one')] })
    expect(status).toBe(409)
    expect(await at.tick()).toBe(0)
  })

  test('invalid facts are 400', async () => {
    const { id } = await at.createMatter()
    const issue = async (more: object) => {
      const { status, data } = await at.sync(id, {
        facts: [fact('a', 'x'), { ...fact('b', 'y'), ...more }],
      })
      return [status, data.issues[0].path]
    }
    expect(await issue({ entity_key: '' })).toEqual([400, 'facts.1.entity_key'])
    expect(await issue({ content: '' })).toEqual([400, 'facts.1.content'])
    expect(await issue({ content: 'x'.repeat(8_001) })).toEqual([400, 'facts.1.content'])
    expect(await issue({ category: 'rumour' })).toEqual([400, 'facts.1.category'])
    expect(await issue({ confidence: 1.1 })).toEqual([400, 'facts.1.confidence'])
    expect(await issue({ metadata: [] })).toEqual([400, 'facts.1.metadata'])
  })
})
