import { expect, test } from 'vitest'
import { seedCauseTools } from '../../../../tests/support/seed-causes.ts'
import { makeSkillThread } from '../../../../tests/support/skill.ts'
import skill from './skill.ts'

const loan = '我在2024年3月5日借给张三10万元，有借条，约定2024年底还，他一直不还。我想要回借款。'

type Trial = Awaited<ReturnType<typeof completed>>

async function completed() {
  const trial = makeSkillThread('intake_collection', skill, { tools: seedCauseTools() })
  await trial.say(loan)
  const done = await trial.skip()
  expect(done.output.complete).toBe(true)
  return trial
}

test('evidence and files that come after the intake update the matter', async () => {
  const trial = await completed()
  const { card, output, products, reply } = await trial.say('我还找到了微信聊天记录，已上传', [
    'f-2',
  ])
  expect(card).toBeNull()
  expect(output).toMatchObject({
    evidence: ['written_agreement', 'chat_record'],
    evidence_files: ['f-2'],
  })
  expect(products).toMatchObject({ file_ids: ['f-2'] })
  expect(products.facts?.map(({ entity_key }) => entity_key)).toContain('intake.evidence')
  expect(products).not.toHaveProperty('complete_todos')
  expect(reply).toContain('微信、短信、邮件等聊天记录')
})

test('a figure that contradicts an earlier one is confirmed before it replaces it', async () => {
  const trial = await completed()
  const { card, output } = await trial.say('我记错了，其实借给他的是12万元')
  expect(card?.review_type).toBe('confirm')
  expect(card?.questions[0]?.question).toContain('120,000')
  expect(card?.questions[0]?.question).toContain('此前记录为 100,000')
  expect(output.amount).toBe(100_000)

  const yes = await trial.answer({ figures_confirmed: true })
  expect(yes.output).toMatchObject({ amount: 120_000, complete: true })
  const facts = yes.products.facts ?? []
  expect(facts.find(({ entity_key }) => entity_key === 'intake.amount')).toMatchObject({
    value: 120_000,
    confidence: 1,
    metadata: { quote: '其实借给他的是12万元' },
  })
})

test('a corrected amount replaces a detail that was answered on a card', async () => {
  const trial = makeSkillThread('intake_collection', skill, { tools: seedCauseTools() })
  await trial.say(loan)
  await trial.answer({ 'private_lending.delivered_amount': 100_000 })
  await trial.say('我记错了，其实借给他的是12万元')
  const { output, products } = await trial.answer({ figures_confirmed: true })
  expect(output.details).toMatchObject({ 'private_lending.delivered_amount': 120_000 })
  expect(products.profile).toMatchObject({ private_lending: { delivered_amount: 120_000 } })
  expect(trial.state.facts).toMatchObject({
    'private_lending.delivered_amount': {
      ...{ value: 120_000, source: 'answer', confirmed: true, quote: '其实借给他的是12万元' },
    },
  })
})

test('a contradiction that the person does not confirm leaves the earlier figure', async () => {
  const trial = await completed()
  await trial.say('我记错了，其实借给他的是12万元')
  const { output, products } = await trial.answer({ figures_confirmed: false })
  expect(output).toMatchObject({ amount: 100_000, complete: true })
  expect(products.profile ?? {}).not.toHaveProperty('amount')
})

test.each([
  ['does not know', (at: Trial) => at.answer({ figures_confirmed: null })],
  ['skips the card', (at: Trial) => at.skip()],
])(
  'a contradiction that the person leaves open makes the figure unknown (%s)',
  async (_, leave) => {
    const trial = await completed()
    await trial.say('我记错了，其实借给他的是12万元')
    const { output, products } = await leave(trial)
    expect(output).toMatchObject({ amount: null, complete: true })
    expect(products.profile).toMatchObject({ amount: null })
    expect((trial.state.facts as any).amount).toMatchObject({ value: null })
  },
)

test.each([
  '谢谢',
  '都没有问题，我确认，请交付文书。',
  'I confirm all of that, please deliver the documents to me.',
])('“%s” after the intake changes nothing', async (message) => {
  const trial = await completed()
  const { card, products, reply } = await trial.say(message)
  expect([card, products, reply]).toEqual([null, {}, undefined])
})
