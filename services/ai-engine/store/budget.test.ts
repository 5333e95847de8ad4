import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../../tests/support/databases.ts'
import { makeSql, type Sql } from '../../_kit/sql/sql.ts'
import { openBudgets } from './budget.ts'

let database: Database
let sql: Sql
beforeAll(async () => {
  database = await newDatabase('pglite')
  sql = makeSql(database.driver)
})
afterAll(() => database.drop())

const none = { organization: undefined, user: undefined, matter: undefined }
const subject = { organization_id: 'acme', user_id: 'u-1', matter_id: 'm-1' }
const refused = { status: 'rejected', reason: { code: 'BUDGET_EXCEEDED' } }

test.each([
  ['organization', { user_id: 'u-2', matter_id: 'm-2' }],
  ['user', { matter_id: 'm-2' }],
  ['matter', { user_id: 'u-2' }],
])('of two concurrent calls over the budget of the %s one is refused', async (name, other) => {
  const budgets = openBudgets({ ...none, [name]: 100 })!
  const reserve = (more: object = {}) => budgets.reserve(sql, { ...subject, ...more }, 60)
  const [first, second] = await Promise.allSettled([reserve(), reserve(other)])
  expect(second).toMatchObject(refused)
  const foreign = { organization_id: 'foreign' }
  await expect(reserve(foreign)).resolves.toBeTypeOf('function')
  if (first.status === 'fulfilled') first.value()
  await expect(reserve(other)).resolves.toBeTypeOf('function')
})

test('without limits there are no budgets', () => {
  expect(openBudgets(none)).toBeNull()
})
