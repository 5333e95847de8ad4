import { expect, test } from 'vitest'
import { formatAnswers } from './answer-text.ts'

const ask = (field_key: string, input_type: string, more: object = {}) => ({
  question: `${field_key}？`,
  field_key,
  input_type,
  required: true,
  ...more,
})

test('answers are words in the language of the questions, and name no ids of files', () => {
  const questions = [
    ask('确认', 'boolean'),
    ask('证据', 'file'),
    ask('方式', 'select', { options: [{ value: 'b', label: 'Bank' }] }),
    ask('金额', 'money'),
    ask('姓名', 'text'),
  ]
  const answers = [
    { field_key: '确认', value: true },
    { field_key: '证据', value: ['019a0000-0000-7000-8000-000000000000'] },
    { field_key: '方式', value: 'b' },
    { field_key: '金额', value: 5 },
    { field_key: '姓名', value: null, unknown: true },
  ]
  const card = { questions } as Parameters<typeof formatAnswers>[0]
  expect(formatAnswers(card, answers, 'en').split('\n')).toEqual([
    '确认？ 是',
    '证据？ 见附件',
    '方式？ Bank',
    '金额？ 5',
    '姓名？ 不知道',
  ])
  const english = { questions: [{ ...ask('sure', 'boolean'), question: 'Sure?' }] } as typeof card
  expect(formatAnswers(english, [{ field_key: 'sure', value: false }], 'zh')).toBe('Sure? No')
})
