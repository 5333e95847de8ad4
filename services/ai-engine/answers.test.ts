import { expect, test } from 'vitest'
import { checkAnswers } from './answers.ts'
import type { Card } from './card.ts'

const card: Card = {
  card_id: '019a0000-0000-7000-8000-000000000000',
  review_type: 'clarify',
  title: 'Amount',
  questions: [
    { question: 'How much?', field_key: 'intake.amount', input_type: 'money', required: true },
  ],
}

test('an unknown answer is accepted for a required question', () => {
  const answers = [{ field_key: 'intake.amount', value: null, unknown: true }]
  expect(checkAnswers(card, answers)).toEqual({ 'intake.amount': null })
})

test('null without unknown, and unknown with a value, are rejected', () => {
  const check = (answer: object) => () =>
    checkAnswers(card, [{ field_key: 'intake.amount', value: null, ...answer }])
  expect(check({})).toThrow('value')
  expect(check({ unknown: true, value: 5 })).toThrow('Must be null')
})
