import { expect, test } from 'vitest'
import { seedCauseTools } from '../../../../tests/support/seed-causes.ts'
import { makeSkillThread } from '../../../../tests/support/skill.ts'
import { type FactSource, makeFact } from '../../facts.ts'
import skill from './skill.ts'

const loan = {
  cause_of_action_code: 'private_lending',
  client_role: 'claimant',
  amount: 100_000,
  event_date: '2023-05-01',
  interest_agreed: true,
  private_lending: { delivered_amount: 100_000, due_date: '2024-05-01', annual_rate: 10 },
}

/** A thread of the calculation whose amounts were found by a source. */
function threadWith(source: FactSource) {
  const found_by = { amount: source, 'private_lending.delivered_amount': source }
  return makeSkillThread('calculation', skill, {
    tools: seedCauseTools(),
    state: { intake_collection: { ...loan, found_by, quotes: { amount: '借给张三10万元' } } },
    today: '2026-06-15',
  })
}
const readFact = (at: ReturnType<typeof threadWith>, name: string) => (at.state.facts as any)[name]

test.each(['model', 'file', 'rules'] as const)(
  'a sum found by %s is read back before it enters a calculation',
  async (source) => {
    const at = threadWith(source)
    const first = await at.say('')
    expect(first.card).toMatchObject({
      review_type: 'confirm',
      questions: [{ field_key: 'calculation.figures_confirmed', input_type: 'boolean' }],
    })
    expect(first.card!.questions[0]!.question).toContain('100,000元')
    expect(first.output.claims).toEqual([])
    expect(first.products).toEqual({})
    const done = await at.answer({ figures_confirmed: true })
    expect(done.card).toBeNull()
    expect(done.output.claims[0]).toMatchObject({ amount: 100_000, source: 'loan_interest' })
    expect(done.output.calculations[0].facts).toMatchObject({
      'private_lending.delivered_amount': 100_000,
      event_date: '2023-05-01',
    })
    expect(readFact(at, 'private_lending.delivered_amount')).toMatchObject({
      source,
      confirmed: true,
    })
    // The calculation did not use the other one.
    expect(done.products.profile).toEqual({ unconfirmed_facts: ['amount'] })
  },
)

test('a rejected sum is asked for with the value that was read, and the answer is used', async () => {
  const at = threadWith('file')
  await at.say('')
  const { card, output } = await at.answer({ figures_confirmed: false })
  expect(output.claims).toEqual([])
  expect(card!.questions).toContainEqual(
    expect.objectContaining({
      field_key: 'calculation.answers.private_lending__delivered_amount',
      default: 100_000,
    }),
  )
  const done = await at.answer({
    'answers.private_lending__delivered_amount': 90_000,
    'answers.amount': 90_000,
  })
  expect(done.output.claims[0]).toMatchObject({ amount: 90_000 })
})

test('a rejected sum does not come back from the message that states it', async () => {
  const at = threadWith('rules')
  await at.say('我在2023年5月1日借给张三10万元，约定2024年5月1日归还。')
  await at.answer({ figures_confirmed: false })
  const done = await at.answer({
    'answers.private_lending__delivered_amount': null,
    'answers.amount': null,
  })
  expect(done.output.claims).toEqual([])
  expect(done.output.skipped).toContainEqual({
    calculator: 'loan_interest',
    reason: 'missing: amount',
  })
})

test('a rejected sum stays on the list of what nobody confirmed', async () => {
  const at = threadWith('rules')
  at.state.matter = {
    profile: { ...loan, unconfirmed_facts: ['private_lending.delivered_amount'] },
  }
  await at.say('')
  await at.answer({ figures_confirmed: false })
  const done = await at.answer({ 'answers.private_lending__delivered_amount': null })
  expect(done.products.profile).toMatchObject({
    unconfirmed_facts: expect.arrayContaining(['private_lending.delivered_amount']),
  })
})

test.each([
  ['does not know', { figures_confirmed: null }],
  ['skips the card', undefined],
])('if the person %s, what was read is not used, and the reason is kept', async (_, answer) => {
  const at = threadWith('model')
  await at.say('')
  const done = answer ? await at.answer(answer) : await at.skip()
  expect(done.card).toBeNull()
  expect(done.output.claims).toEqual([])
  expect(done.output.skipped).toContainEqual({
    calculator: 'loan_interest',
    reason: 'unconfirmed: amount',
  })
  expect((await at.rerun()).card).toBeNull()
  // A new message is a reason to read it back again.
  expect((await at.say('他一直不还钱。')).card?.review_type).toBe('confirm')
})

test('a sum that changed after it was shown is not confirmed by the answer to the old card', async () => {
  const at = threadWith('file')
  await at.say('')
  const facts = at.state.facts as Record<string, unknown>
  facts['private_lending.delivered_amount'] = makeFact(70_000, 'file', '7万元')
  const { card, output } = await at.answer({ figures_confirmed: true })
  expect(output.claims).toEqual([])
  expect(card!.questions[0]!.question).toContain('70,000元')
  const done = await at.answer({ figures_confirmed: true })
  expect(done.output.claims[0]).toMatchObject({ amount: 70_000 })
})

test('a confirmed sum that is corrected by the person is used without another question', async () => {
  const at = threadWith('file')
  await at.say('')
  await at.answer({ figures_confirmed: true })
  const facts = at.state.facts as Record<string, unknown>
  facts['private_lending.delivered_amount'] = makeFact(70_000, 'answer')
  const { card, output } = await at.rerun()
  expect(card).toBeNull()
  expect(output.claims[0]).toMatchObject({ amount: 70_000 })
})

test('a value of the matter that another thread read and nobody confirmed is read back', async () => {
  const matter = {
    cause_of_action_code: 'private_lending',
    profile: { ...loan, unconfirmed_facts: ['amount', 'private_lending.delivered_amount'] },
  }
  const at = makeSkillThread('calculation', skill, {
    tools: seedCauseTools(),
    state: { matter },
    today: '2026-06-15',
  })
  const { card, output } = await at.say('')
  expect(card!.questions[0]!.question).toContain('100,000元')
  expect(card!.questions[0]!.question).not.toContain('2024')
  expect(output.claims).toEqual([])
})
