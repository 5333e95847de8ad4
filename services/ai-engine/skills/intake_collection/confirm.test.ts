import { expect, test } from 'vitest'
import { seedCauseTools } from '../../../../tests/support/seed-causes.ts'
import { makeSkillThread } from '../../../../tests/support/skill.ts'
import skill from './skill.ts'

const thread = () => makeSkillThread('intake_collection', skill, { tools: seedCauseTools() })

const ambiguous =
  '我先借给张三3万元，后来又借给他5万元，2024年1月8日第一次给，2024年3月5日第二次给，他都不还。我想要回借款。'
const nobodyKnows = (card: { questions: { field_key: string }[] } | null) =>
  Object.fromEntries(
    card!.questions.map(({ field_key }) => [field_key.replace('intake_collection.', ''), null]),
  )

test('ambiguous figures are read back on a confirm card and are not fields before the answer', async () => {
  const { card, output, products } = await thread().say(ambiguous)
  expect(card).toMatchObject({ review_type: 'confirm', questions: [{ input_type: 'boolean' }] })
  expect(card?.questions[0]?.question).toContain('30,000（您写道：“我先借给张三3万元”）')
  expect(card?.questions[0]?.question).toContain('2024-01-08')
  expect(output).not.toHaveProperty('amount')
  expect(output).not.toHaveProperty('event_date')
  expect(output.complete).toBe(false)
  expect(JSON.stringify(products)).not.toMatch(/30.?000|2024-01-08/)
})

test('confirmed figures become fields with their quotes', async () => {
  const trial = thread()
  await trial.say(ambiguous)
  const { output } = await trial.answer({ figures_confirmed: true })
  expect(output).toMatchObject({
    amount: 30_000,
    event_date: '2024-01-08',
    unconfirmed: [],
    found_by: { amount: 'answer', event_date: 'answer' },
    quotes: { amount: '我先借给张三3万元' },
  })
})

test.each([
  ['no', { figures_confirmed: false }],
  ['I do not know', { figures_confirmed: null }],
])('after the answer “%s” the figures are asked for, not used', async (_, answer) => {
  const trial = thread()
  await trial.say(ambiguous)
  const { card, output } = await trial.answer(answer)
  expect(output).not.toHaveProperty('amount')
  expect(card?.review_type).toBe('clarify')
  expect(card?.questions.map(({ field_key }) => field_key)).toEqual(
    expect.arrayContaining(['intake_collection.event_date', 'intake_collection.amount']),
  )
  const done = await trial.answer({ ...nobodyKnows(card), amount: 80_000 })
  expect(done.card).toBeNull()
  expect(done.output).toMatchObject({ complete: true, amount: 80_000, event_date: null })
  expect(done.products.profile).not.toHaveProperty('event_date')
})

test('a person who knows nothing gets through the intake, by answers or by skipping', async () => {
  for (const pass of ['answer', 'skip'] as const) {
    const trial = thread()
    let { card, output } = await trial.say('你好，我想咨询一下')
    for (let cards = 0; card; cards++) {
      expect(cards).toBeLessThan(3)
      ;({ card, output } =
        pass === 'skip' ? await trial.skip() : await trial.answer(nobodyKnows(card)))
    }
    expect(output).toMatchObject({ complete: true, missing: [] })
  }
})
