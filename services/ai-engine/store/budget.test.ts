import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../../tests/support/databases.ts'
import { makeSql, type Sql } from '../../_kit/sql/sql.ts'
import { deleteExpiredReservations, openBudgets } from './budget.ts'

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
  const budgets = openBudgets({ ...none, [name]: 100 }, 60_000)!
  const reserve = (more: object = {}) =>
    budgets.reserve(sql, { ...subject, organization_id: `of the ${name}`, ...more }, 60)
  const [first, second] = await Promise.allSettled([reserve(), reserve(other)])
  expect(second).toMatchObject(refused)
  const foreign = { organization_id: `foreign to the ${name}` }
  await expect(reserve(foreign)).resolves.toBeTypeOf('function')
  if (first.status === 'fulfilled') await first.value()
  await expect(reserve(other)).resolves.toBeTypeOf('function')
})

test('two replicas do not exceed a budget together, and a reservation of one that died expires', async () => {
  const [one, other] = [1, 1].map(() => openBudgets({ ...none, organization: 100 }, 60_000)!)
  const org = { ...subject, organization_id: 'replicas' }
  await one!.reserve(sql, org, 60)
  await expect(other!.reserve(sql, org, 60)).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' })
  await sql`update ai_engine.budget_reservations set expires_at = now() where organization_id = 'replicas'`
  await expect(other!.reserve(sql, org, 60)).resolves.toBeTypeOf('function')
  await deleteExpiredReservations(sql)
  const rows = await sql`
    select tokens from ai_engine.budget_reservations where organization_id = 'replicas'`
  expect(rows).toEqual([{ tokens: 60 }])
})

test('without limits there are no budgets', () => {
  expect(openBudgets(none, 60_000)).toBeNull()
})
