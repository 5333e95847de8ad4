import { expect, test } from 'vitest'
import { bundledBlueprints, parseBlueprints } from './blueprint.ts'

const phase = { phase_id: 'intake', phase_name: 'Intake', order_num: 1, description: '' }
const blueprint = {
  id: 'loan',
  name: 'Loan',
  matter_category: 'civil_litigation',
  description: '',
  phases: [phase],
}

test('the bundled blueprints are valid and an empty list is accepted', () => {
  expect(parseBlueprints(bundledBlueprints)).toHaveLength(3)
  expect(parseBlueprints([])).toEqual([])
  expect(parseBlueprints([blueprint])).toEqual([blueprint])
})

test.each([
  ['no object', 'loan'],
  ['no phases', { ...blueprint, phases: undefined }],
  ['an unknown category', { ...blueprint, matter_category: 'divorce' }],
  ['a phase twice', { ...blueprint, phases: [phase, phase] }],
  ['a playbook', { ...blueprint, playbook_id: 'x' }],
  ['something to run', { ...blueprint, phases: [{ ...phase, next: 'filing' }] }],
])('a blueprint with %s stops the start', (_, wrong) => {
  expect(() => parseBlueprints([wrong])).toThrow()
})

test('duplicate blueprint ids throw', () => {
  expect(() => parseBlueprints([blueprint, blueprint])).toThrow('Duplicate id.')
})
