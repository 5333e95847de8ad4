import { expect, test } from 'vitest'
import { type InputSchema, parseDraft, readQuery, writeQuery } from './inputs.ts'

const schema: InputSchema = {
  type: 'object',
  required: ['principal', 'from'],
  properties: {
    principal: { type: 'number', minimum: 0 },
    from: { type: 'string', format: 'date' },
    years: { type: 'integer', default: 3, maximum: 20 },
    simplified: { type: 'boolean' },
    payments: {
      type: 'array',
      items: {
        type: 'object',
        required: ['on', 'amount'],
        properties: { on: { type: 'string', format: 'date' }, amount: { type: 'number' } },
      },
    },
  },
}

test('a link keeps every input, lists included', () => {
  const draft = {
    principal: '50,000',
    from: '2023-05-01',
    years: '3',
    simplified: 'true',
    payments: [{ on: '2023-06-01', amount: '100' }],
  }
  expect(readQuery(schema, new URLSearchParams(writeQuery(draft)))).toEqual(draft)
  expect(parseDraft(schema, draft)).toEqual({
    faults: {},
    inputs: {
      principal: 50_000,
      from: '2023-05-01',
      years: 3,
      simplified: true,
      payments: [{ on: '2023-06-01', amount: 100 }],
    },
  })
})

test('an absent input is left out and a default is filled in', () => {
  const draft = readQuery(schema, new URLSearchParams('principal=1&from=2023-05-01'))
  expect(parseDraft(schema, draft).inputs).toEqual({ principal: 1, from: '2023-05-01', years: 3 })
})

test('every fault is named by the path of its control', () => {
  const { faults } = parseDraft(schema, {
    principal: '-1',
    from: '',
    years: '2.5',
    simplified: '',
    payments: [{ on: 'yesterday', amount: '' }],
  })
  expect(faults).toEqual({
    principal: { kind: 'minimum', limit: 0 },
    from: { kind: 'required' },
    years: { kind: 'integer' },
    'payments.0.on': { kind: 'date' },
    'payments.0.amount': { kind: 'required' },
  })
})

test('a link with lists of another form opens an empty list', () => {
  expect(readQuery(schema, new URLSearchParams('payments={')).payments).toEqual([])
  expect(readQuery(schema, new URLSearchParams('payments=[null]')).payments).toEqual([
    { on: '', amount: '' },
  ])
})
