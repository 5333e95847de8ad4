import { expect, test } from 'vitest'
import type { Card, Question } from '../../api/types.ts'
import { buildAnswers, collectErrors, type Draft } from './answers.ts'

const question = (field_key: string, input_type: Question['input_type'], required = true) => ({
  question: field_key,
  field_key,
  input_type,
  required,
})
const cardOf = (...questions: Question[]): Card => ({
  card_id: 'c',
  review_type: 'clarify',
  title: '',
  questions,
})
const given = (value: string | string[], isUnknown = false) => ({ value, isUnknown })

test('each type of question gives the value that the service expects', () => {
  const types = {
    text: [given('a'), 'a'],
    textarea: [given('b\nc'), 'b\nc'],
    number: [given('1.5'), 1.5],
    money: [given('100000'), 100_000],
    date: [given('2023-05-01'), '2023-05-01'],
    boolean: [given('false'), false],
    select: [given('x'), 'x'],
    multi_select: [given(['x', 'y']), ['x', 'y']],
    file: [given(['f-1']), ['f-1']],
  } as const
  const kinds = Object.keys(types) as (keyof typeof types)[]
  const draft = Object.fromEntries(kinds.map((kind) => [kind, types[kind][0]])) as unknown as Draft
  const { answers, errors } = buildAnswers(
    cardOf(...kinds.map((kind) => question(kind, kind))),
    draft,
  )
  expect(errors).toEqual({})
  expect(answers).toEqual(kinds.map((kind) => ({ field_key: kind, value: types[kind][1] })))
})

test('a missing required answer and a wrong number are errors, an optional one is null', () => {
  const card = cardOf(
    question('name', 'text'),
    question('files', 'file'),
    question('sum', 'money'),
    question('note', 'text', false),
  )
  const draft = { name: given(' '), files: given([]), sum: given('ten'), note: given('') }
  const { answers, errors } = buildAnswers(card, draft)
  expect(Object.keys(errors)).toEqual(['name', 'files', 'sum'])
  expect(answers).toEqual([{ field_key: 'note', value: null }])
})

test('a person who does not know answers a required question with null', () => {
  const { answers, errors } = buildAnswers(cardOf(question('sum', 'money')), {
    sum: given('x', true),
  })
  expect(errors).toEqual({})
  expect(answers).toEqual([{ field_key: 'sum', value: null, unknown: true }])
})

test('an error of the service belongs to the question at its position', () => {
  const answers = [
    { field_key: 'a', value: 1 },
    { field_key: 'b', value: 2 },
  ]
  const issues = [{ path: 'user_response.answers.1.value', message: 'Must be text.' }]
  expect(collectErrors(issues, answers)).toEqual({ b: 'Must be text.' })
})
