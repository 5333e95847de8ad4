import { expect, test } from 'vitest'
import { removeRequests } from './story-text.ts'

test.each([
  [
    '请帮我给王五发一份律师函：我2024年2月1日借给王五5万元，我希望他尽快还钱，暂时不起诉。',
    '我2024年2月1日借给王五5万元，我希望他尽快还钱。',
  ],
  ['麻烦帮我写起诉状，张三欠我10万元。', '张三欠我10万元。'],
  [
    'Please write a demand letter to Tom. He owes me 5,000 yuan, but I do not want to sue yet.',
    'He owes me 5,000 yuan.',
  ],
])('what %s asks of the assistant is left out', (story, told) => {
  expect(removeRequests(story)).toBe(told)
})

test.each(['我帮公司写合同的时候被辞退。', '他一直不还钱，我要起诉。', '请帮我写律师函。'])(
  'the story %s stays as it is',
  (story) => {
    expect(removeRequests(story)).toBe(story)
  },
)
