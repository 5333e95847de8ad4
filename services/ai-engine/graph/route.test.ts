import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isBareQuestion, route } from './route.ts'
import {
  initialState,
  markDependentsStale,
  phases,
  type RoutingEntry,
  type State,
} from './state.ts'

const row = (name: string, more: Partial<RoutingEntry> = {}): RoutingEntry => ({
  name,
  phase: null,
  after: [],
  internal: false,
  api_call_only: false,
  ...more,
})
const table = [
  row('chat'),
  row('intake_collection', { phase: 'intake', rereads: true }),
  row('case_summary', { phase: 'analysis', after: ['intake_collection'] }),
  row('draft', { phase: 'drafting' }),
]
const story = '我借给张三10万元，他到期不还'
const state = (round: Partial<State['round']> = {}, more: Partial<State> = {}): State => ({
  ...initialState,
  table,
  ...more,
  round: { ...initialState.round, message: story, ...round },
})

const askOf = (skill: string) => ({
  skill,
  control: {
    action: 'ask_user' as const,
    review_type: 'clarify' as const,
    title: '',
    questions: [],
    on_expiry: 'skip' as const,
  },
})

describe('the router', () => {
  test('the story of a case is routed to intake', () => {
    expect(route(state())).toMatchObject({ next: 'dispatch', skills: ['intake_collection'] })
  })

  test('a general question is answered without starting intake', () => {
    expect(route(state({ message: '诉讼时效是多久？' }))).toMatchObject({
      next: 'chat_respond',
      goal: 'answer',
    })
  })

  test('a question after intake has started continues the matter', () => {
    const current = state(
      { message: '还需要什么材料？' },
      { work: { intake_collection: 'waiting' } },
    )
    expect(route(current)).toMatchObject({ next: 'dispatch', skills: ['intake_collection'] })
  })

  test.each([
    ['a message with facts', { message: '我记错了，其实是12万元' }, ['intake_collection']],
    ['a new file', { message: '看这个' }, ['intake_collection'], 1],
    ['a file that was read', { message: '看这个' }, [], 2],
    ['a question', { message: '还需要什么材料？' }, []],
    ['thanks', { message: '谢谢' }, []],
  ] as [string, Partial<State['round']>, string[], number?][])(
    'after the intake %s is routed to it again: %s',
    (_, round, skills, files_read = 2) => {
      const file_ids = ['f-1', 'f-2']
      const work = { intake_collection: 'done', case_summary: 'done' } as const
      const matter = { phases: [{ phase_id: 'intake', status: 'COMPLETED' }] }
      expect(route(state(round, { work, matter, file_ids, files_read })).skills).toEqual(skills)
    },
  )

  test('stale work is done again although its phase is completed', () => {
    const work = { intake_collection: 'done', case_summary: 'stale' } as const
    const phases = ['intake', 'analysis'].map((phase_id) => ({ phase_id, status: 'COMPLETED' }))
    const round = { message: '谢谢' }
    expect(route(state(round, { work, matter: { phases } })).skills).toEqual(['case_summary'])
  })

  test('work waits for a skill before it that runs again in the round', () => {
    const work = { intake_collection: 'done', case_summary: 'stale' } as const
    expect(route(state({ message: story }, { work })).skills).toEqual(['intake_collection'])
    const round = { message: story, done: ['intake_collection'] }
    expect(route(state(round, { work })).skills).toEqual(['case_summary'])
  })

  test('completed work makes all work that depends on it stale', () => {
    const chain = [row('a'), row('b', { after: ['a'] }), row('c', { after: ['b'] }), row('d')]
    const work = { a: 'done', b: 'done', c: 'done', d: 'done' } as const
    expect(markDependentsStale(work, chain, 'a')).toEqual({ ...work, b: 'stale', c: 'stale' })
    expect(markDependentsStale({ a: 'done', b: 'waiting' }, chain, 'a').b).toBe('waiting')
  })

  test('the next phase opens when all skills of earlier phases are done', () => {
    const done = state({ message: '然后呢？' }, { work: { intake_collection: 'done' } })
    expect(route(done)).toMatchObject({ next: 'dispatch', skills: ['case_summary'] })
  })

  test('a phase without skills blocks the later phases', () => {
    const done = state(
      { message: '然后呢？' },
      { work: { intake_collection: 'done', case_summary: 'done' } },
    )
    expect(route(done)).toMatchObject({ next: 'chat_respond', skills: [] })
  })

  test.each([
    ['the cause', { causes: ['private_lending'] }, { cause_of_action_code: 'private_lending' }],
    ['a known cause', { causes: 'any' as const }, { cause_of_action_code: 'divorce' }],
    [
      'the category',
      { categories: ['labor_arbitration'] },
      { matter_category: 'labor_arbitration' },
    ],
    [
      'the service type',
      { service_types: ['contract_review'] },
      { service_type_id: 'contract_review' },
    ],
  ])('a skill that applies to %s runs only in such a matter', (_, applies_to, kind) => {
    const entry = row('check', { phase: 'analysis', after: ['intake_collection'], applies_to })
    const work = { intake_collection: 'done', case_summary: 'done' } as const
    const skillsFor = (intake_collection: object) =>
      route(state({ message: '然后呢？' }, { work, table: [...table, entry], intake_collection }))
        .skills
    expect(skillsFor(kind)).toEqual(['check'])
    expect(skillsFor({})).toEqual([])
    expect(skillsFor({ cause_of_action_code: 'other', matter_category: 'consultation' })).toEqual(
      [],
    )
  })

  test('a skill that does not apply blocks neither the skills after it nor the next phase', () => {
    const check = row('check', { phase: 'analysis', applies_to: { causes: 'any' } })
    const plan = row('plan', { phase: 'strategy', after: ['check'] })
    const work = { intake_collection: 'done', case_summary: 'done' } as const
    const current = state({ message: '然后呢？' }, { work, table: [...table, check, plan] })
    expect(route(current).skills).toEqual(['plan'])
  })

  test('a phase that is COMPLETED in the matter counts as over', () => {
    const matter = { phases: [{ phase_id: 'intake', status: 'COMPLETED' }] }
    expect(route(state({}, { matter }))).toMatchObject({ skills: ['case_summary'] })
  })

  test('a requested card is routed to ask_user before any other work', () => {
    expect(route(state({ asks: [askOf('intake_collection')] })).next).toBe('ask_user')
  })

  test('all due skills that do not depend on each other are dispatched together', () => {
    const two = [
      ...table,
      row('evidence', { phase: 'intake' }),
      row('later', { phase: 'intake', after: ['evidence'] }),
    ]
    expect(route(state({}, { table: two }))).toMatchObject({
      skills: ['intake_collection', 'evidence'],
    })
  })

  test('the skill of an answered card runs before the next queued card is shown', () => {
    const two = [...table, row('evidence', { phase: 'intake' })]
    const work = { intake_collection: 'waiting' as const, evidence: 'waiting' as const }
    const answered = { card_id: 'c', skill: 'evidence', answers: {}, basis: null, skipped: false }
    const asks = [askOf('intake_collection')]
    expect(route(state({ answered, asks }, { table: two, work }))).toMatchObject({
      next: 'dispatch',
      skills: ['evidence'],
    })
    const done = { ...work, evidence: 'done' as const }
    expect(
      route(state({ answered, asks, done: ['evidence'] }, { table: two, work: done })).next,
    ).toBe('ask_user')
  })

  test('an answered card is routed to the skill that requested it', () => {
    const answered = {
      card_id: 'c',
      skill: 'case_summary',
      answers: {},
      basis: null,
      skipped: false,
    }
    expect(route(state({ answered }))).toMatchObject({ next: 'dispatch', skills: ['case_summary'] })
  })

  test('a requested skill runs, and with skill_only the round ends after it', () => {
    const only = { skill: 'case_summary', skill_only: true }
    expect(route(state(only))).toMatchObject({ next: 'dispatch', skills: ['case_summary'] })
    expect(route(state({ ...only, done: ['case_summary'] })).next).toBe('finish')
    expect(route(state({ skill: 'chat', skill_only: true })).next).toBe('chat_respond')
  })

  test('a round with an error is routed to finish', () => {
    expect(route(state({ error: { code: 'X', message: 'x' } })).next).toBe('finish')
  })
})

/** Any state that a thread can be in. */
const names = ['chat', 'a', 'b', 'c', 'd', 'e']
const rows = fc.tuple(
  ...names.map((name) =>
    fc.record({
      name: fc.constant(name),
      phase: fc.constantFrom(null, ...phases),
      after: fc.subarray(names, { maxLength: 2 }),
      internal: fc.boolean(),
      api_call_only: fc.boolean(),
    }),
  ),
)
const anyState = fc
  .record({
    table: rows,
    message: fc.constantFrom(story, '什么是诉讼时效？', '', 'hello'),
    skill: fc.constantFrom(null, ...names),
    skill_only: fc.boolean(),
    answered: fc.constantFrom(null, ...names),
    work: fc.dictionary(
      fc.constantFrom(...names),
      fc.constantFrom('done' as const, 'waiting' as const),
    ),
    over: fc.subarray([...phases]),
  })
  .map(({ table, message, skill, skill_only, answered, work, over }) =>
    state(
      {
        message,
        skill,
        skill_only: skill_only && skill !== null,
        answered:
          answered === null
            ? null
            : { card_id: 'c', skill: answered, answers: {}, basis: null, skipped: false },
      },
      {
        table,
        work,
        matter: { phases: over.map((phase_id) => ({ phase_id, status: 'COMPLETED' })) },
      },
    ),
  )

test('routing is deterministic and does not modify the state', () => {
  fc.assert(
    fc.property(anyState, (state) => {
      const copy = structuredClone(state)
      expect(route(state)).toEqual(route(copy))
      expect(state).toEqual(copy)
    }),
  )
})

test('every round terminates and dispatches each skill at most once', () => {
  fc.assert(
    fc.property(anyState, fc.infiniteStream(fc.boolean()), (first, asks) => {
      let state = first
      const dispatched: string[] = []
      for (let step = 0; ; step++) {
        expect(step).toBeLessThan(names.length + 2)
        const { next, skills } = route(state)
        if (next === 'finish' || next === 'ask_user') return
        for (const name of next === 'dispatch' ? skills : ['chat']) {
          expect(dispatched).not.toContain(name)
          dispatched.push(name)
          const waits = next === 'dispatch' && asks.next().value
          state = {
            ...state,
            work: { ...state.work, [name]: waits ? 'waiting' : 'done' },
            round: { ...state.round, done: [...state.round.done, name] },
          }
        }
      }
    }),
  )
})

test.each([
  ['诉讼时效是多久？', true],
  ['What is the limitation period?', true],
  ['你好', true],
  ['thanks!', true],
  [story, false],
  ['我被公司辞退了，怎么办？', false],
  ['My landlord will not return my deposit. What can I do?', false],
  ['借款50000元没有还，能要利息吗？', false],
])('%s is classified as a general question: %s', (message, bare) => {
  expect(isBareQuestion(message)).toBe(bare)
})
