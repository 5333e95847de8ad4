import { expect, test } from 'vitest'
import { formatAnswers } from './answer-text.ts'

const ask = (field_key: string, input_type: string, more: object = {}) => ({
  question: `${field_key}?`,
  field_key,
  input_type,
  required: true,
  ...more,
})

test('answers are words in the language of the person, and name no ids of files', () => {
  const questions = [
    ask('sure', 'boolean'),
    ask('proof', 'file'),
    ask('way', 'select', { options: [{ value: 'b', label: 'Bank' }] }),
    ask('amount', 'money'),
    ask('name', 'text'),
  ]
  const answers = [
    { field_key: 'sure', value: true },
    { field_key: 'proof', value: ['019a0000-0000-7000-8000-000000000000'] },
    { field_key: 'way', value: 'b' },
    { field_key: 'amount', value: 5 },
    { field_key: 'name', value: null, unknown: true },
  ]
  const card = { questions } as Parameters<typeof formatAnswers>[0]
  expect(formatAnswers(card, answers, 'zh').split('\n')).toEqual([
    'sure? 是',
    'proof? 见附件',
    'way? Bank',
    'amount? 5',
    'name? 不知道',
  ])
  const no = [{ field_key: 'sure', value: false }]
  expect(formatAnswers(card, no, 'en')).toBe('sure? No')
})
