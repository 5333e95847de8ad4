import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EngineStage, parseNdjson, stageEngine } from '../../tests/support/engine.ts'
import { makeSkillFolder } from '../../tests/support/skill-folder.ts'
import { graphVersion } from './graph/versions.ts'

const { directory, skill, remove } = makeSkillFolder()
afterAll(remove)

const confirm = (field_key: string) => `{
  action: 'ask_user', review_type: 'confirm', title: 'Send it?', basis: { amount: 100 },
  questions: [{ question: 'Send it?', field_key: '${field_key}', input_type: 'boolean', required: true }] }`

skill(
  'paying',
  `async run({ answered, state }) {
    if (!answered) return { output: { note: 'asked' }, control: ${confirm('paying.yes')} }
    return { output: { note: 'paid ' + answered.basis.amount + ' ' + state.yes } }
  }`,
)
skill('callable', `async run() { return { output: { note: 'called' } } }`, 'api_call_only: true\n')
skill(
  'optional',
  `async run({ answered }) {
    if (answered) return { output: { note: answered.skipped ? 'skipped' : 'answered' } }
    return { output: { note: 'asked' }, control: { action: 'ask_user', title: 'More?', questions: [
      { question: 'More?', field_key: 'optional.more', input_type: 'text', required: false }] } }
  }`,
)
skill(
  'deadline',
  `async run({ inputs, answered, state }) {
    if (answered) return { output: { note: (answered.skipped ? 'skipped ' : 'answered ') + state.more } }
    return { output: { note: 'asked' }, control: { action: 'ask_user', title: 'More?',
      expires_in_seconds: 3600, on_expiry: inputs.message, assignee: '7', questions: [
      { question: 'More?', field_key: 'deadline.more', input_type: 'text', required: true, default: 'nothing' }] } }
  }`,
  'version: 3\n',
)
skill(
  'upgraded',
  `async run({ answered, state }) {
    if (answered) return { output: { note: 'from ' + state.from + ' ' + state.more } }
    return { output: { note: 'asked' }, control: { action: 'ask_user', title: 'More?', questions: [
      { question: 'More?', field_key: 'upgraded.more', input_type: 'text', required: true }] } }
  },
  migrate: (state, from) => from === '1' ? { ...state, from } : undefined`,
  'version: 2\n',
)

let at: EngineStage
beforeAll(async () => {
  at = await stageEngine({
    env: { SKILLS_DIR: directory, ENGINE_STEP_TIMEOUT_MS: '1500', ENGINE_RETRIES: '1' },
  })
})
afterAll(() => at.close())

const runs = (name: string, more: object = {}) =>
  at.post(`/skills/${name}/execute`, { message: 'go', user_id: 1, ...more })

describe('skipping a card', () => {
  const skip = (body: object) => at.post('/agent/pending_card/skip', body)

  test('skipping a card without required questions continues the run once, without answers', async () => {
    const { thread_id, card } = (await runs('optional')).data
    expect(card.skippable).toBe(true)
    expect(await skip({ thread_id, card_id: 'other' })).toMatchObject({
      status: 409,
      code: 'CONFLICT',
    })
    const events = parseNdjson((await skip({ thread_id, card_id: card.card_id, user_id: 7 })).text)
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed' } })
    const { state } = (await at.get(`/agent/threads/${thread_id}/state`)).data
    expect(state.optional.note).toBe('skipped')
    expect(await skip({ thread_id })).toMatchObject({ status: 409, code: 'NO_PENDING_CARD' })
    const rounds = (await at.get(`/timeline?thread_id=${thread_id}`)).data.items
    expect(rounds).toHaveLength(2)
  })

  test('skipping a required card is rejected and the card stays pending', async () => {
    const { thread_id, card } = (await runs('paying')).data
    expect(await skip({ thread_id })).toMatchObject({ status: 409, code: 'CARD_REQUIRED' })
    const pending = (await at.get(`/agent/pending_card?thread_id=${thread_id}`)).data
    expect(pending.card.card_id).toBe(card.card_id)
  })

  test('skipping a card of an unknown thread or another organization returns 404', async () => {
    const { thread_id } = (await runs('optional')).data
    const other = { 'x-organization-id': 'other' }
    expect((await skip({ thread_id: 'none' })).status).toBe(404)
    expect((await at.post('/agent/pending_card/skip', { thread_id }, other)).status).toBe(404)
  })
})

describe('a card with a deadline', () => {
  const startWithCard = async (on_expiry: string) =>
    (await at.post('/skills/deadline/execute', { message: on_expiry, user_id: 1 })).data
  const pass = (thread_id: string) => at.sql`
    update ai_engine.cards set expires_at = now() - interval '1 second'
    where thread_id = ${thread_id}`
  /** Two processes look for due cards at the same moment. */
  const tickTwice = () => Promise.all([at.tick(), at.tick()])
  const waitForEnd = async (thread_id: string) => {
    const rounds = async () => {
      const { items } = (await at.get(`/timeline?thread_id=${thread_id}`)).data
      return items.map(({ status }: any) => status)
    }
    await expect.poll(rounds, { timeout: 10_000 }).not.toContain('running')
    return (await at.get(`/timeline?thread_id=${thread_id}`)).data.items
  }

  test.each([
    ['default', 'answered nothing'],
    ['skip', 'skipped undefined'],
  ])(
    'a card with on_expiry `%s` continues the run exactly once when it expires',
    async (on_expiry, note) => {
      const { thread_id, card, ...run } = await startWithCard(on_expiry)
      expect(card).toMatchObject({
        on_expiry,
        assignee: '7',
        skill_version: '3',
        graph_version: graphVersion,
      })
      expect(Date.parse(card.expires_at)).toBeGreaterThan(Date.now())
      expect(run).toMatchObject({ graph_version: graphVersion, skill_version: '3' })
      await at.tick()
      expect((await waitForEnd(thread_id)).length).toBe(1)
      await pass(thread_id)
      await tickTwice()
      expect(await waitForEnd(thread_id)).toMatchObject([
        { status: 'completed' },
        { status: 'interrupted' },
      ])
      await tickTwice()
      expect((await waitForEnd(thread_id)).length).toBe(2)
      const { state } = (await at.get(`/agent/threads/${thread_id}/state`)).data
      expect(state.deadline.note).toBe(note)
    },
  )

  test('a card with on_expiry `fail` ends the run as failed and the thread accepts the next turn', async () => {
    const { thread_id } = await startWithCard('fail')
    await pass(thread_id)
    await tickTwice()
    const [round] = await waitForEnd(thread_id)
    expect(round).toMatchObject({ status: 'failed', error: { code: 'CARD_EXPIRED' } })
    expect((await at.post('/agent/execute', { thread_id, message: '你好' })).status).toBe(200)
  })

  test('a card that was assigned and answered, or withdrawn, does not expire', async () => {
    const { thread_id, card } = await startWithCard('fail')
    const other = { 'x-organization-id': 'other' }
    const path = `/agent/cards/${card.card_id}`
    expect((await at.post(`${path}/assign`, { user_id: 9 }, other)).status).toBe(404)
    expect((await at.post(`${path}/assign`, { user_id: 9 })).data).toMatchObject({ assignee: '9' })
    const pending = (await at.get(`/agent/pending_card?thread_id=${thread_id}`)).data.card
    expect(pending.assignee).toBe('9')
    const answers = [{ field_key: 'deadline.more', value: 'x' }]
    const resumed = await at.post('/agent/resume', { thread_id, user_response: { answers } })
    expect(resumed.data.status).toBe('completed')
    expect(await at.post(`${path}/withdraw`, {})).toMatchObject({
      status: 409,
      code: 'NO_PENDING_CARD',
    })

    const second = await startWithCard('fail')
    const withdrawn = await at.post(`/agent/cards/${second.card.card_id}/withdraw`, {})
    expect(withdrawn.data).toMatchObject({ thread_id: second.thread_id, withdrawn: true })
    await pass(second.thread_id)
    await tickTwice()
    expect((await waitForEnd(second.thread_id)).length).toBe(1)
    expect((await at.post('/agent/cards/none/withdraw', {})).status).toBe(404)
  })
})

describe('after an upgrade', () => {
  const startWithCard = async () =>
    (await at.post('/skills/upgraded/execute', { message: 'go', user_id: 1 })).data
  const setVersions = (thread_id: string, skill: string, graph = '1') => at.sql`
    update ai_engine.cards set skill_version = ${skill}, graph_version = ${graph}
    where thread_id = ${thread_id}`
  const resume = (thread_id: string) =>
    at.post('/agent/resume', {
      thread_id,
      user_response: { answers: [{ field_key: 'upgraded.more', value: 'x' }] },
    })
  const readNote = async (thread_id: string) =>
    (await at.get(`/agent/threads/${thread_id}/state`)).data.state.upgraded.note

  test('cards of the installed version and of a migratable version continue after an upgrade', async () => {
    const same = await startWithCard()
    expect((await resume(same.thread_id)).data.status).toBe('completed')
    expect(await readNote(same.thread_id)).toBe('from undefined x')
    const older = await startWithCard()
    await setVersions(older.thread_id, '1')
    expect((await resume(older.thread_id)).data.status).toBe('completed')
    expect(await readNote(older.thread_id)).toBe('from 1 x')
  })

  test.each([
    ['skill', '0.9', '1'],
    ['graph', '2', '99'],
  ])(
    'an answer to a card of an unsupported %s version is rejected and the card stays pending',
    async (_, skill, graph) => {
      const { thread_id, card } = await startWithCard()
      await setVersions(thread_id, skill, graph)
      expect(await resume(thread_id)).toMatchObject({ status: 409, code: 'VERSION_UNSUPPORTED' })
      const pending = (await at.get(`/agent/pending_card?thread_id=${thread_id}`)).data
      expect(pending.card.card_id).toBe(card.card_id)
    },
  )

  test('open threads of an organization are counted by version', async () => {
    const { items } = (await at.get('/agent/open-threads')).data
    const waiting = items.find(
      ({ skill, skill_version }: any) => skill === 'upgraded' && skill_version === '0.9',
    )
    expect(waiting).toMatchObject({ waiting_on: 'card', count: 1, graph_version: graphVersion })
    const other = await at.get('/agent/open-threads', { 'x-organization-id': 'other' })
    expect(other.data.items).toEqual([])
  })

  test('a run of an unsupported graph version ends as failed with the reason', async () => {
    const { thread_id, run_id } = (await runs('callable')).data
    await at.sql`update ai_engine.runs set status = 'running', graph_version = '99' where run_id = ${run_id}`
    await at.sql`
      update ai_engine.threads set status = 'running', lease_until = now() - interval '1 minute'
      where thread_id = ${thread_id}`
    await at.tick()
    const error = async () =>
      (await at.get(`/timeline?thread_id=${thread_id}`)).data.items[0].error?.code
    await expect.poll(error, { timeout: 5_000 }).toBe('VERSION_UNSUPPORTED')
  })
})
