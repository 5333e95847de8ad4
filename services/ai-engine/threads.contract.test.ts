import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answersTo, type EngineStage, stageEngine, story } from '../../tests/support/engine.ts'

let at: EngineStage
beforeAll(async () => {
  at = await stageEngine()
})
afterAll(() => at.close())

let number = 0
/** A thread with a card; with `answered` the card is answered. */
async function conversation({ answered = false } = {}) {
  const [session_id, matter_id] = [`s-${++number}`, `m-${number}`]
  const first = await at.post('/agent/execute', {
    session_id,
    matter_id,
    user_id: 7,
    message: story,
  })
  const { thread_id, card } = first.data
  const user_response = answersTo(card)
  const second = answered
    ? await at.post('/agent/resume', { thread_id, user_id: 7, user_response })
    : undefined
  return {
    thread_id,
    card,
    user_response,
    session_id,
    matter_id,
    first: first.data,
    second: second?.data,
  }
}
const listCheckpoints = async (thread_id: string) =>
  (await at.get(`/agent/threads/${thread_id}/checkpoints?size=200`)).data.items
const readState = async (thread_id: string) =>
  (await at.get(`/agent/threads/${thread_id}/state`)).data

describe('checkpoints', () => {
  test('each step has a checkpoint with its node, listed newest first', async () => {
    const { thread_id } = await conversation()
    const nodes = (await listCheckpoints(thread_id)).map(({ node }: any) => node)
    expect(nodes.toReversed()).toEqual([
      'start',
      'load_context',
      'router',
      'dispatch',
      'run_skill',
      'sync_data',
      'router',
      'ask_user',
    ])
    const page = await at.get(`/agent/threads/${thread_id}/checkpoints?page=2&size=3`)
    expect(page.data).toMatchObject({ page: 2, size: 3, total: 8, total_pages: 3 })
    expect((await at.get('/agent/threads/none/checkpoints')).status).toBe(404)
  })

  test('products of a skill are synced before the run ends', async () => {
    const { thread_id } = await conversation({ answered: true })
    const nodes = (await listCheckpoints(thread_id)).map(({ node }: any) => node).toReversed()
    for (const [index, node] of nodes.entries())
      if (node === 'run_skill' || node === 'chat_respond')
        expect(nodes[index + 1]).toBe('sync_data')
  })
})

describe('replay', () => {
  test('replay from a card with another answer creates a branch and keeps the old thread', async () => {
    const old = await conversation({ answered: true })
    const before = await readState(old.thread_id)
    const checkpoint = (await listCheckpoints(old.thread_id)).find(
      ({ node }: any) => node === 'ask_user',
    )
    const synced = at.syncBodies().length
    const { status, data: branch } = await at.post('/agent/replay', {
      thread_id: old.thread_id,
      checkpoint_id: checkpoint.checkpoint_id,
    })
    expect(status).toBe(200)
    expect(branch).toMatchObject({ status: 'interrupted' })
    expect(branch.thread_id).not.toBe(old.thread_id)
    expect(branch.card).toEqual({ ...old.card, card_id: branch.card.card_id })
    const text = old.card.questions.find(({ input_type }: any) => input_type.startsWith('text'))
    const answers = old.user_response.answers.map((answer) =>
      answer.field_key === text?.field_key ? { ...answer, value: '另一种说法。' } : answer,
    )
    const resumed = await at.post('/agent/resume', {
      thread_id: branch.thread_id,
      user_response: { answers },
    })
    expect(resumed.data.status).toBe('completed')
    expect(await readState(old.thread_id)).toEqual(before)
    expect((await readState(branch.thread_id)).branch_of).toBe(old.thread_id)
    expect(at.syncBodies()).toHaveLength(synced)
  })

  test('replay from a checkpoint within a run repeats the rest with the same result', async () => {
    const old = await conversation({ answered: true })
    const points = await listCheckpoints(old.thread_id)
    for (const node of ['resume', 'load_context', 'dispatch', 'run_skill']) {
      const { checkpoint_id } = points.find((each: any) => each.node === node)
      const { data } = await at.post('/agent/replay', { thread_id: old.thread_id, checkpoint_id })
      expect(data).toMatchObject({ status: 'completed', output: old.second.output })
      const [own, branch] = [await readState(old.thread_id), await readState(data.thread_id)]
      expect(branch.state.case_summary).toEqual(own.state.case_summary)
    }
  })

  test('replay with `sync` writes to the matter', async () => {
    const old = await conversation({ answered: true })
    const { checkpoint_id } = (await listCheckpoints(old.thread_id)).find(
      ({ node }: any) => node === 'resume',
    )
    const synced = at.syncBodies().length
    await at.post('/agent/replay', { thread_id: old.thread_id, checkpoint_id, sync: true })
    expect(at.syncBodies().length).toBeGreaterThan(synced)
  })

  test('replay from an unknown checkpoint returns 404, from the end of a run 409', async () => {
    const { thread_id } = await conversation({ answered: true })
    const unknown = { thread_id, checkpoint_id: '00000000-0000-7000-8000-000000000000' }
    expect((await at.post('/agent/replay', unknown)).status).toBe(404)
    const [last] = await listCheckpoints(thread_id)
    const { checkpoint_id } = last
    expect((await at.post('/agent/replay', { thread_id, checkpoint_id })).status).toBe(409)
    const other = { 'x-organization-id': 'other' }
    expect((await at.post('/agent/replay', { thread_id, checkpoint_id }, other)).status).toBe(404)
  })
})

describe('cancel', () => {
  test('cancel withdraws a pending card and the thread accepts the next turn', async () => {
    const { thread_id, session_id, user_response } = await conversation()
    const { data } = await at.post('/agent/cancel', { thread_id })
    expect(data).toMatchObject({ thread_id, cancelled: true })
    expect((await at.get(`/agent/pending_card?thread_id=${thread_id}`)).data.has_pending_card).toBe(
      false,
    )
    const late = await at.post('/agent/resume', { thread_id, user_response })
    expect(late).toMatchObject({ status: 409, code: 'NO_PENDING_CARD' })
    const again = await at.post('/agent/execute', { session_id, message: '你好' })
    expect(again.status).toBe(200)
    expect((await at.post('/agent/cancel', { thread_id: 'none' })).status).toBe(404)
  })

  test('cancel of an idle thread changes nothing', async () => {
    const { data } = await at.post('/agent/execute', { session_id: 'rests', message: '你好' })
    const { thread_id } = data
    expect((await at.post('/agent/cancel', { thread_id })).data.cancelled).toBe(false)
  })

  test('cancel of an earlier run leaves the thread as it is', async () => {
    const { thread_id } = await conversation()
    const run_id = '00000000-0000-7000-8000-000000000000'
    expect((await at.post('/agent/cancel', { thread_id, run_id })).data.cancelled).toBe(false)
    const { data } = await at.get(`/agent/pending_card?thread_id=${thread_id}`)
    expect(data.has_pending_card).toBe(true)
    const [run] = (await at.get(`/timeline?thread_id=${thread_id}`)).data.items
    const own = { thread_id, run_id: run.run_id }
    expect((await at.post('/agent/cancel', own)).data.cancelled).toBe(true)
  })
})

test('checkpoints are listed and the thread continues after its runs were deleted', async () => {
  const { thread_id, session_id } = await conversation({ answered: true })
  await at.post('/agent/cancel', { thread_id })
  await at.sql`delete from ai_engine.runs where thread_id = ${thread_id}`
  const { status, data } = await at.get(`/agent/threads/${thread_id}/checkpoints`)
  expect([status, data.items[0].graph_version]).toEqual([200, null])
  expect((await at.get(`/agent/threads/${thread_id}/state`)).status).toBe(200)
  const next = await at.post('/agent/execute', { session_id, message: '你好' })
  expect(next.data.status).not.toBe('failed')
})

describe('the timeline', () => {
  test('the timeline lists one round per run by session, matter or thread', async () => {
    const { thread_id, session_id, matter_id, card } = await conversation({ answered: true })
    for (const query of [
      `session_id=${session_id}`,
      `matter_id=${matter_id}`,
      `thread_id=${thread_id}`,
    ]) {
      const { items, total } = (await at.get(`/timeline?${query}`)).data
      expect(total).toBe(2)
      expect(items.map(({ round, status }: any) => [round, status])).toEqual([
        [2, 'completed'],
        [1, 'interrupted'],
      ])
      expect(items[1]).toMatchObject({ user_message: story, card, skills: ['intake_collection'] })
      expect(items[0].skills).toEqual(['intake_collection', 'case_summary', 'chat'])
    }
    expect((await at.get('/timeline')).status).toBe(400)
    expect((await at.get('/timeline?thread_id=none')).data.items).toEqual([])
  })

  test('the timeline of a matter leaves out branches', async () => {
    const { thread_id, matter_id } = await conversation({ answered: true })
    const { checkpoint_id } = (await listCheckpoints(thread_id)).find(
      ({ node }: any) => node === 'resume',
    )
    const { data } = await at.post('/agent/replay', { thread_id, checkpoint_id })
    expect((await at.get(`/timeline?matter_id=${matter_id}`)).data.total).toBe(2)
    expect((await at.get(`/timeline?thread_id=${data.thread_id}`)).data.total).toBe(1)
  })
})

describe('a trace', () => {
  test('a trace lists each step and repeats each routing decision with the same result', async () => {
    const { second } = await conversation({ answered: true })
    const { data } = await at.get(`/traces/${second.trace_id}`)
    expect(data).toMatchObject({ run_id: second.run_id, status: 'completed', kind: 'resume' })
    const kinds = new Set(data.spans.map(({ kind }: any) => kind))
    expect([...kinds].sort()).toEqual(['node', 'skill', 'sync', 'tool'])
    const ids = new Set(data.spans.map(({ span_id }: any) => span_id))
    for (const { parent_id } of data.spans)
      expect(parent_id === null || ids.has(parent_id)).toBe(true)
    expect(data.decisions.map(({ recorded }: any) => recorded.next)).toEqual([
      'dispatch',
      'dispatch',
      'chat_respond',
      'finish',
    ])
    expect(data.decisions.every(({ same }: any) => same)).toBe(true)
  })

  test('a trace with a manipulated state shows a different decision', async () => {
    const { second, thread_id } = await conversation({ answered: true })
    const { data } = await at.get(`/traces/${second.trace_id}`)
    const { step } = data.decisions[1]
    await at.sql`
      update ai_engine.checkpoints set snapshot = null,
        delta = delta || '[["set", ["round", "error"], {"code": "X", "message": "x"}]]'::jsonb
      where thread_id = ${thread_id} and step = ${step - 1}`
    const changed = (await at.get(`/traces/${second.trace_id}`)).data
    expect(changed.decisions[1]).toMatchObject({ same: false, evaluated: { next: 'finish' } })
  })

  test('traces are filtered by thread, matter, session, status and time', async () => {
    const { thread_id, matter_id, session_id, first } = await conversation()
    for (const query of [
      `thread_id=${thread_id}`,
      `matter_id=${matter_id}`,
      `session_id=${session_id}`,
    ]) {
      const { items } = (await at.get(`/traces?${query}`)).data
      expect(items.map(({ trace_id }: any) => trace_id)).toEqual([first.trace_id])
    }
    const on = (more: string) => at.get(`/traces?thread_id=${thread_id}&${more}`)
    expect((await on('status=failed')).data.total).toBe(0)
    expect((await on('status=interrupted')).data.total).toBe(1)
    expect((await on('from=2020-01-01T00:00:00Z')).data.total).toBe(1)
    expect((await on('to=2020-01-01T00:00:00Z')).data.total).toBe(0)
    expect((await on('from=yesterday')).status).toBe(400)
    expect((await at.get('/traces/00000000-0000-7000-8000-000000000000')).status).toBe(404)
  })
})

describe('skills', () => {
  test('skills are listed with their inputs and outputs', async () => {
    const { skills } = (await at.get('/skills')).data
    const names = skills.map(({ name }: any) => name)
    expect(names).toEqual(expect.arrayContaining(['case_summary', 'chat', 'intake_collection']))
    for (const { inputs, outputs } of skills)
      expect([inputs.type, outputs.type]).toEqual(['object', 'object'])
    const { data } = await at.get('/skills/intake_collection')
    expect(data).toMatchObject({ name: 'intake_collection', phase: 'intake' })
    expect((await at.get('/skills/none')).status).toBe(404)
  })

  test('a skill can be run alone', async () => {
    const { status, data } = await at.post('/skills/case_summary/execute', {
      message: story,
      user_id: 7,
    })
    expect(status).toBe(200)
    expect(data.thread_id).toMatch(/^skill:/)
    expect(data).toMatchObject({
      status: 'completed',
      result: { complete: true, made_by: 'rules' },
    })
    const only = { session_id: 'only', message: story, skill: 'case_summary', skill_only: true }
    expect((await at.post('/agent/execute', only)).data.result.skills).toEqual(['case_summary'])
    expect((await at.post('/skills/none/execute', { message: story })).status).toBe(404)
  })
})

describe('usage', () => {
  test('usage is empty without model calls', async () => {
    expect((await at.get('/usage')).data).toMatchObject({ items: [], total: 0 })
    const { data } = await at.get('/usage/stats')
    expect(data.total).toEqual({ calls: 0, input_tokens: 0, output_tokens: 0, cached_tokens: 0 })
    expect(data.by_skill).toEqual([])
  })
})
