import { expect, test } from 'vitest'
import { meetsConditions } from './conditions.ts'

const facts = [
  { key: 'intake.personal_injury.situation', value: 'animal' },
  { key: 'intake.divorce.reasons', value: ['separation', 'violence'] },
  { key: 'intake.private_lending.repaid_amount', value: 0 },
  { key: 'intake.labor_dispute.protected_status', value: 'none' },
  { key: 'intake.event_date', value: '2025-06-30' },
]
const on = (field: string, more: object = {}) => ({
  field_key: `intake_collection.${field}`,
  ...more,
})

test.each([
  ['one of the values', [on('personal_injury.situation', { values: ['animal'] })], true],
  ['another value', [on('personal_injury.situation', { values: ['school'] })], false],
  ['one of several answers', [on('divorce.reasons', { values: ['violence'] })], true],
  ['any answer', [on('divorce.reasons')], true],
  ['nothing', [on('private_lending.repaid_amount')], false],
  ['none', [on('labor_dispute.protected_status')], false],
  ['a day before', [on('event_date', { from: '2025-09-15' })], false],
  ['a day after', [on('event_date', { from: '2025-01-01' })], true],
  ['no answer', [on('written_contract', { values: [true] })], undefined],
])('a condition on %s is judged by the answer', (_, conditions, expected) => {
  expect(meetsConditions(conditions, facts)).toBe(expected)
})

test('all conditions have to be met, and one that is not decides', () => {
  const open = on('written_contract', { values: [true] })
  const met = on('personal_injury.situation', { values: ['animal'] })
  const unmet = on('personal_injury.situation', { values: ['school'] })
  expect(meetsConditions([], facts)).toBe(true)
  expect(meetsConditions([met, open], facts)).toBeUndefined()
  expect(meetsConditions([open, unmet], facts)).toBe(false)
})
