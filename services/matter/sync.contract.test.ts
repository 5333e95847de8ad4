import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { internal, type MatterStage, path, stageMatter } from '../../tests/support/matter.ts'

let at: MatterStage
beforeAll(async () => {
  at = await stageMatter()
})
afterAll(() => at.close())

const none = { matter: 0, phases: 0, todos: 0, completed_todos: 0, deliverables: 0, facts: 0 }
const full = {
  title: 'Loan to Li Si',
  matter_category: 'civil_litigation',
  cause_of_action_code: 'private_lending',
  profile: { amount: 100_000, party: { plaintiff: '张三' } },
  data: { litigation: { court: '朝阳', stage: 1 }, work_product: { draft: 'text' } },
  file_ids: ['f-2', 'f-1', 'f-2'],
  phases: [
    { phase_id: 'intake', phase_name: 'Intake', status: 'COMPLETED', order_num: 1 },
    { phase_id: 'evidence', status: 'IN_PROGRESS' },
    { phase_id: 'filing' },
  ],
  todos: [
    { todo_key: 'confirm', title: 'Confirm', actor: 'client', payload: { a: 1 } },
    { todo_key: 'sign', actor: 'lawyer' },
  ],
  complete_todos: [{ todo_key: 'sign', result: { signed: true } }],
  deliverables: [
    { deliverable_key: 'complaint', title: '起诉状', kind: 'complaint', file_id: 'f-9' },
    { deliverable_key: 'list' },
  ],
  facts: [{ entity_key: 'loan.amount', content: 'The loan is 100,000.', value: 100_000 }],
}

describe('a sync', () => {
  test('a sync writes all sections with one version and one event', async () => {
    const { id } = await at.createMatter({ file_ids: ['f-1'] })
    const { status, data } = await at.sync(id, full)
    expect([status, data]).toEqual([
      200,
      {
        matter_id: id,
        version: 2,
        applied: true,
        changed: { matter: 1, phases: 3, todos: 2, completed_todos: 1, deliverables: 2, facts: 1 },
      },
    ])
    expect(await at.matter(id)).toMatchObject({
      title: 'Loan to Li Si',
      status: 'ACTIVE',
      matter_category: 'civil_litigation',
      cause_of_action_code: 'private_lending',
      profile: full.profile,
      data: full.data,
      file_ids: ['f-1', 'f-2'],
      version: 2,
    })
    const todos = await at.todos(id)
    expect(todos).toMatchObject([
      { todo_key: 'confirm', title: 'Confirm', status: 'OPEN', payload: { a: 1 } },
      { todo_key: 'sign', actor: 'lawyer', status: 'DONE', result: { signed: true } },
    ])
    const { events } = await at.timeline(id)
    expect(events).toHaveLength(2)
    expect(events[0]).toMatchObject({
      type: 'matter.synced',
      actor: 'ai-engine',
      summary: 'Synced the matter, 3 phases, 2 todos, 1 completed todo, 2 deliverables, 1 fact.',
      from: {
        status: 'DRAFT',
        profile: { amount: null },
        phases: { intake: null, evidence: null },
        todos: { sign: null },
      },
      to: {
        status: 'ACTIVE',
        profile: { amount: 100_000 },
        phases: { intake: 'COMPLETED', evidence: 'IN_PROGRESS' },
        todos: { sign: 'DONE' },
        deliverables: { complaint: 1, list: 1 },
      },
    })
  })

  test('told again changes nothing', async () => {
    const { id } = await at.createMatter()
    await at.sync(id, full)
    const before = [await at.matter(id), await at.todos(id), await at.timeline(id)]
    const { data } = await at.sync(id, full)
    expect(data).toEqual({ matter_id: id, version: 2, applied: true, changed: none })
    expect([await at.matter(id), await at.todos(id), await at.timeline(id)]).toEqual(before)
    expect((await at.sync(id, {})).data).toMatchObject({ version: 2, changed: none })
  })

  test('a sync merges by member and null removes a member', async () => {
    const { id } = await at.createMatter()
    await at.sync(id, full)
    await at.sync(id, {
      cause_of_action_code: null,
      profile: { amount: null, party: { defendant: '李四' } },
      data: { litigation: { stage: null, judge: 'W' }, work_product: null, note: ['x'] },
    })
    const matter = await at.matter(id)
    expect(matter.profile).toEqual({ party: { defendant: '李四' } })
    expect(matter.data).toEqual({ litigation: { court: '朝阳', judge: 'W' }, note: ['x'] })
    expect([matter.cause_of_action_code, matter.status]).toEqual([null, 'ACTIVE'])
  })

  test('only a cause of action or a completed intake activates a draft', async () => {
    const syncAndReadStatus = async (body: object) => {
      const { id } = await at.createMatter()
      await at.sync(id, body)
      return (await at.matter(id)).status
    }
    const phase = (phase_id: string, status: string) => ({ phases: [{ phase_id, status }] })
    expect(await syncAndReadStatus({ cause_of_action_code: 'loan' })).toBe('ACTIVE')
    expect(await syncAndReadStatus({ cause_of_action_code: 'loan', status: 'DRAFT' })).toBe(
      'ACTIVE',
    )
    expect(await syncAndReadStatus(phase('intake', 'COMPLETED'))).toBe('ACTIVE')
    expect(await syncAndReadStatus({ status: 'ACTIVE' })).toBe('ACTIVE')
    expect(await syncAndReadStatus({ ...phase('intake', 'COMPLETED'), status: 'COMPLETED' })).toBe(
      'COMPLETED',
    )
    expect(await syncAndReadStatus(phase('intake', 'IN_PROGRESS'))).toBe('DRAFT')
    expect(await syncAndReadStatus(phase('evidence', 'COMPLETED'))).toBe('DRAFT')
    expect(await syncAndReadStatus({ cause_of_action_code: null, title: 'T' })).toBe('DRAFT')
  })

  test('a failing sync changes nothing', async () => {
    const { id } = await at.createMatter()
    await at.sync(id, {
      todos: [{ todo_key: 'done' }],
      complete_todos: [{ todo_key: 'done', result: 1 }],
    })
    const before = [await at.matter(id), await at.todos(id), await at.timeline(id)]
    const rest = { ...full, sync_key: 'whole' }
    const refused = [
      { ...rest, cause_of_action_code: undefined, phases: [], status: 'ARCHIVED' },
      { ...rest, complete_todos: [{ todo_key: 'done', result: 2 }] },
      { ...rest, complete_todos: [{ todo_key: 'nowhere' }] },
      {
        ...rest,
        facts: Array.from({ length: 150 }, (_, n) => ({
          entity_key: `k${n}`,
          content: 'x'.repeat(6_500),
        })),
      },
    ]
    for (const body of refused) {
      const { status, code } = await at.sync(id, body)
      expect([status, code]).toEqual([409, 'CONFLICT'])
    }
    const wrong = await at.sync(id, {
      ...rest,
      phases: [{ phase_id: 'a' }, { phase_id: 'b', status: 'X' }],
    })
    expect([wrong.status, wrong.data.issues[0].path]).toEqual([400, 'phases.1.status'])
    expect([await at.matter(id), await at.todos(id), await at.timeline(id)]).toEqual(before)
    // A rejected sync does not consume its key.
    expect((await at.sync(id, rest)).data).toMatchObject({ applied: true, version: 3 })
  })

  test('phase times follow the status', async () => {
    const { id } = await at.createMatter()
    const phases = async (...list: object[]) => {
      await at.sync(id, { phases: list })
      return (await at.timeline(id)).phases
    }
    const time = expect.stringMatching(/^\d{4}-.*Z$/)
    const [a] = await phases({ phase_id: 'a', phase_name: 'A' })
    expect(a).toEqual({
      phase_id: 'a',
      phase_name: 'A',
      status: 'PENDING',
      order_num: 1,
      started_at: null,
      completed_at: null,
    })
    const [begun] = await phases({ phase_id: 'a', status: 'IN_PROGRESS' })
    expect(begun).toMatchObject({ phase_name: 'A', started_at: time, completed_at: null })
    const [done] = await phases({ phase_id: 'a', status: 'COMPLETED' })
    expect(done).toMatchObject({ started_at: begun.started_at, completed_at: time })
    expect((await phases({ phase_id: 'a', phase_name: 'B' }))[0]).toEqual({
      ...done,
      phase_name: 'B',
    })
    const input = {
      started_at: '2026-01-01T00:00:00.000Z',
      completed_at: '2026-02-01T00:00:00.000Z',
    }
    const all = await phases(
      { phase_id: 'z', order_num: 0, status: 'COMPLETED', ...input },
      { phase_id: 'y', status: 'SKIPPED' },
    )
    expect(all.map((phase: any) => phase.phase_id)).toEqual(['z', 'a', 'y'])
    expect([all[0], all[2]]).toMatchObject([input, { started_at: null, completed_at: null }])
    expect((await phases({ phase_id: 'a', status: 'PENDING' }))[1]).toMatchObject({
      started_at: null,
      completed_at: null,
    })
  })

  test('a changed deliverable gets a new version', async () => {
    const { id } = await at.createMatter()
    const deliverablePatch = (file_id: string) => ({
      deliverables: [{ deliverable_key: 'd', file_id }],
    })
    await at.sync(id, deliverablePatch('f-1'))
    await at.sync(id, deliverablePatch('f-1'))
    expect((await at.read(`${path}/${id}/deliverables/d`)).version).toBe(1)
    await at.sync(id, deliverablePatch('f-2'))
    const changed = await at.read(`${path}/${id}/deliverables/d`)
    expect([changed.version, changed.file_id, changed.kind]).toEqual([2, 'f-2', 'document'])
  })

  test('done todos stay done and the last patch of a key wins', async () => {
    const { id } = await at.createMatter()
    const twice = [
      { todo_key: 'k', title: 'A' },
      { todo_key: 'k', title: 'B' },
    ]
    const { data } = await at.sync(id, { todos: twice })
    expect([data.changed.todos, (await at.todos(id))[0].title]).toEqual([1, 'B'])
    await at.sync(id, { complete_todos: [{ todo_key: 'k', result: 1 }] })
    await at.sync(id, { todos: [{ todo_key: 'k', title: 'C', status: 'OPEN' }] })
    expect(await at.todos(id)).toMatchObject([{ title: 'B', status: 'DONE', result: 1 }])
  })

  test('a sync of an unknown matter is 404', async () => {
    expect((await at.sync('01900000-0000-7000-8000-000000000000', {})).status).toBe(404)
    expect((await at.call('POST', `${internal}/x/sync/all`, { raw: '{' })).status).toBe(404)
  })
})

describe('a sync_key', () => {
  test('a sync_key is applied once and returns the first response', async () => {
    const { id } = await at.createMatter()
    const first = await at.sync(id, { sync_key: 'k', title: 'A', profile: { a: 1, b: 2 } })
    await at.sync(id, { title: 'B' })
    const again = await at.sync(id, { profile: { b: 2, a: 1 }, title: 'A', sync_key: 'k' })
    expect([again.status, again.data]).toEqual([200, { ...first.data, applied: false }])
    expect(await at.matter(id)).toMatchObject({ title: 'B', version: 3 })
    const other = await at.sync(id, { sync_key: 'k', title: 'C', profile: { a: 1, b: 2 } })
    expect([other.status, other.code]).toEqual([409, 'CONFLICT'])
    expect((await at.matter(id)).title).toBe('B')
  })

  test('a sync_key is scoped to its matter', async () => {
    const [one, two] = [await at.createMatter(), await at.createMatter()]
    for (const { id } of [one, two]) {
      expect((await at.sync(id, { sync_key: 'k', title: 'A' })).data.applied).toBe(true)
    }
  })

  test('ten concurrent syncs with one key are applied once with equal responses', async () => {
    const { id } = await at.createMatter()
    const body = { ...full, sync_key: 'race' }
    const responses = await Promise.all(Array.from({ length: 10 }, () => at.sync(id, body)))
    expect(responses.filter(({ data }) => data.applied)).toHaveLength(1)
    const rest = responses.map(({ data }) => ({ ...data, applied: false }))
    expect(new Set(rest.map((each) => JSON.stringify(each))).size).toBe(1)
    expect((await at.matter(id)).version).toBe(2)
    expect((await at.timeline(id)).events).toHaveLength(2)
  })

  test('of two concurrent bodies with one key one is applied', async () => {
    const { id } = await at.createMatter()
    const titles = ['A', 'B']
    const responses = await Promise.all(
      titles.map((title) => at.sync(id, { sync_key: 'k', title })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
    const won = titles[responses.findIndex(({ status }) => status === 200)]
    expect((await at.matter(id)).title).toBe(won)
  })
})

test('the workflow profile contains exactly the fields of the contract', async () => {
  const { id } = await at.createMatter({ lawyer_id: 'l-1' })
  await at.sync(id, full)
  const { data } = await at.call('GET', `${internal}/${id}/workflow/profile`)
  expect(data).toEqual({
    matter_id: id,
    status: 'ACTIVE',
    matter_category: 'civil_litigation',
    cause_of_action_code: 'private_lending',
    service_type_id: 'legal_consultation',
    profile: full.profile,
    phases: (await at.timeline(id)).phases,
    todos: [
      { todo_key: 'confirm', status: 'OPEN' },
      { todo_key: 'sign', status: 'DONE' },
    ],
    file_ids: ['f-2', 'f-1'],
    analysis_version: 0,
  })
  await at.post(`${internal}/${id}/analysis/versions/allocate`)
  expect((await at.read(`${internal}/${id}/workflow/profile`)).analysis_version).toBe(1)
})
