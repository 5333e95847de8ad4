import { expect, test } from 'vitest'
import { seedCauseTools, type TestFiles } from '../../../../tests/support/seed-causes.ts'
import { makeSkillThread } from '../../../../tests/support/skill.ts'
import skill from './skill.ts'

const files: TestFiles = {
  iou: {
    filename: '借条.txt',
    text: '借条\n今借到李四人民币100000元，于2024年5月1日前归还。\n借款人：张三\n2023年5月1日',
  },
  slip: {
    filename: '转账回单.txt',
    text: '电子回单\n交易日期：2023年5月1日\n收款人：张三\n转账金额：100,000.00元',
  },
}
const loan = (sum: string) => `我在2023年5月1日借给张三${sum}，到期后他一直不还，我想要回借款。`
const thread = () => makeSkillThread('intake_collection', skill, { tools: seedCauseTools(files) })
const readFact = (at: ReturnType<typeof thread>, name: string) => (at.state.facts as any)[name]

test('a sum of the person that differs from an IOU is shown with both sources and is not known until the choice', async () => {
  const at = thread()
  const { card, output } = await at.say(loan('8万元'), ['iou', 'slip'])
  expect(card).toMatchObject({
    review_type: 'select',
    questions: [{ field_key: 'intake_collection.amount_confirmed', input_type: 'select' }],
  })
  const labels = card!.questions[0]!.options!.map(({ label }) => label)
  expect(labels[0]).toMatch(/^80,000元（您写道：“.*8万元”）$/)
  expect(labels[1]).toMatch(/^100,000元（借条.txt写明：“.*”）$/)
  expect(output.complete).toBe(false)
  for (const name of ['amount', 'private_lending.delivered_amount'])
    expect(readFact(at, name)).toMatchObject({ value: null })
})

test.each([
  ['file', 100_000, '我在2023年5月1日借给张三100,000元'],
  ['stated', 80_000, '我在2023年5月1日借给张三8万元'],
] as const)('whoever chooses “%s” has confirmed %d', async (choice, sum, story) => {
  const at = thread()
  await at.say(loan('8万元'), ['iou', 'slip'])
  const { output } = await at.answer({ amount_confirmed: choice })
  expect(output).toMatchObject({ amount: sum, contradictions: [{ key: 'amount', choice }] })
  for (const name of ['amount', 'private_lending.delivered_amount'])
    expect(readFact(at, name)).toMatchObject({ value: sum, source: 'answer', confirmed: true })
  expect(output.what_happened).toContain(story)
  // The choice is made once.
  expect((await at.rerun()).card?.review_type).not.toBe('select')
})

test.each([
  ['neither', (at: ReturnType<typeof thread>) => at.answer({ amount_confirmed: 'neither' })],
  ['does not know', (at: ReturnType<typeof thread>) => at.answer({ amount_confirmed: null })],
  ['skips the card', (at: ReturnType<typeof thread>) => at.skip()],
])('a person who chooses neither or skips leaves both sums unused (%s)', async (_, decline) => {
  const at = thread()
  await at.say(loan('8万元'), ['iou', 'slip'])
  const { output } = await decline(at)
  expect(output.amount).toBeNull()
  expect(readFact(at, 'amount')).toMatchObject({ value: null })
  // A later message states the sum.
  await at.say('其实我借给他9万元。')
  expect(readFact(at, 'amount')).toMatchObject({ value: 90_000, confirmed: false })
})

test('an answer that differs from a file sent later is asked about, although it was confirmed', async () => {
  const at = thread()
  await at.say(loan('8万元'))
  await at.answer({ 'private_lending.due_date': '2024-06-01' })
  const { card } = await at.say('这是借条', ['iou'])
  expect(card?.questions.map(({ field_key }) => field_key)).toEqual([
    'intake_collection.private_lending__due_date_confirmed',
    'intake_collection.amount_confirmed',
  ])
  expect(card!.questions[0]!.options!.map(({ label }) => label)).toEqual([
    '2024年6月1日（您的回答）',
    '2024年5月1日（借条.txt写明：“于2024年5月1日前归还”）',
    '都不对',
  ])
  expect(readFact(at, 'private_lending.due_date')).toMatchObject({ value: null })
  await at.answer({ private_lending__due_date_confirmed: 'file', amount_confirmed: 'stated' })
  expect(readFact(at, 'private_lending.due_date')).toMatchObject({
    value: '2024-05-01',
    confirmed: true,
  })
  expect(readFact(at, 'amount')).toMatchObject({ value: 80_000, confirmed: true })
})

test('a transfer is compared with the sum that the person says was lent', async () => {
  const { card } = await thread().say(
    'I lent Zhang San 80,000 yuan on 2023-05-01 and he never paid it back. I want it back.',
    ['slip'],
  )
  const labels = card!.questions[0]!.options!.map(({ label }) => label)
  expect(labels[0]).toMatch(/^CNY 80,000 \(you wrote: /)
  expect(labels[1]).toMatch(/^CNY 100,000 \(转账回单.txt says: /)
})

test('a rejected value does not come back from the matter', async () => {
  const at = thread()
  await at.say(loan('8万元'), ['iou'])
  await at.answer({ amount_confirmed: 'neither' })
  at.state.matter = { profile: { amount: 80_000 } }
  await at.say('他一直不还钱。')
  expect(readFact(at, 'amount')).toMatchObject({ value: null })
})
