import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { Defence } from './record-fields.ts'

// Ajv knows no formats by itself; this test has no dates.
const isDescribed = new Ajv2020({ formats: { date: true } }).compile(
  z.toJSONSchema(Defence, { io: 'input' }),
)

test.each([
  [{}, true],
  [{ burden_of_proof: 'defendant' }, true],
  [{ kind: 'objection', burden_of_proof: 'defendant' }, true],
  [{ kind: 'denial' }, true],
  [{ kind: 'denial', burden_of_proof: 'defendant' }, false],
  [{ kind: 'rule_of_law', burden_of_proof: 'plaintiff' }, false],
])('a defence with %j is valid by its schema and by its description: %s', (fields, valid) => {
  const defence = { name: 'Payment', description: '', ...fields }
  expect(Defence.safeParse(defence).success).toBe(valid)
  expect(isDescribed(defence)).toBe(valid)
})
