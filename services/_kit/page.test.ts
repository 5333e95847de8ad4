import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { type Database, newDatabase } from '../../tests/support/databases.ts'
import { PageQuery, selectPage } from './page.ts'
import { fragment, makeSql, type Sql } from './sql/sql.ts'

const rowCount = 60_000
let database: Database
let sql: Sql
beforeAll(async () => {
  database = await newDatabase('postgres')
  sql = makeSql(database.driver)
  await sql`create table public.things (id int primary key, owner text not null)`
  await sql`
    insert into public.things
    select n, case when n <= 10000 then 'few' else 'many' end
    from generate_series(1, ${rowCount}::int) n`
  await sql`analyze public.things`
})
afterAll(() => database.drop())

const Thing = z.object({ id: z.int() })
const listOn = (sql: Sql, query: object, owner: string) =>
  selectPage(sql, Thing, PageQuery.parse(query), {
    from: fragment`public.things where owner = ${owner}`,
    order: fragment`id desc`,
  })
const list = (query: object, owner: string) => listOn(sql, query, owner)

test('a total of 10,000 is exact', async () => {
  const page = await list({}, 'few')
  expect(page.total).toBe(10_000)
  expect(page).not.toHaveProperty('total_is_estimate')
})

test('a larger total is an estimate of the planner, also for a cursor', async () => {
  const first = await list({ size: 7 }, 'many')
  const next = await list({ size: 7, cursor: first.next_cursor! }, 'many')
  for (const page of [first, next]) {
    expect(page.total_is_estimate).toBe(true)
    expect(page.total).toBeGreaterThan(40_000)
    expect(page.total).toBeLessThan(60_000)
  }
  expect([first.items[0]!.id, next.items[0]!.id, next.page]).toEqual([60_000, 59_993, 2])
})

test.each(['page', 'cursor'])('rows of two sources alternate in list order, by %s', async (by) => {
  const from = [1, 0].map((odd) => fragment`public.things where owner = 'few' and id % 2 = ${odd}`)
  const select = (query: object) =>
    selectPage(sql, Thing, PageQuery.parse({ size: 3, ...query }), { from, order: fragment`id` })
  const first = await select({})
  const second = await select(by === 'page' ? { page: 2 } : { cursor: first.next_cursor })
  const ids = [first, second].flatMap(({ items }) => items.map(({ id }) => id))
  expect(ids).toEqual([1, 2, 3, 4, 5, 6])
  expect([first.total, second.page]).toEqual([10_000, 2])
})

test('a page is planned for its values each time, however often it is listed', async () => {
  const plans = await sql.transaction(async (sql) => {
    for (let nth = 0; nth < 6; nth++) await listOn(sql, {}, nth % 2 ? 'few' : 'many')
    return sql`
      select statement from pg_prepared_statements where statement ~ '^\\s*select .* (page|counted)'`
  })
  expect(plans).toEqual([])
})

test('an order with two directions is rejected', async () => {
  const page = selectPage(sql, Thing, PageQuery.parse({}), {
    from: fragment`public.things`,
    order: fragment`owner desc, id`,
  })
  await expect(page).rejects.toThrow('cannot page by')
})
