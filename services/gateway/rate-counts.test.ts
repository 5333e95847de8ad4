import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, newDatabase } from '../../tests/support/databases.ts'
import { makeSql, type Sql } from '../_kit/sql/sql.ts'
import { makeRateCounts } from './rate-counts.ts'

let database: Database
let sql: Sql
beforeAll(async () => {
  database = await newDatabase('postgres')
  sql = makeSql(database.driver)
})
afterAll(() => database.drop())

test('counts of one process are exact and need one statement per sync, not per request', async () => {
  let statements = 0
  const counting = makeSql({
    ...database.driver,
    query: (text, params) => {
      statements++
      return database.driver.query(text, params)
    },
  })
  const counts = makeRateCounts(1_000, () => 60_000_000)
  for (let i = 1; i <= 1_000; i++) expect(await counts.count(counting, 'exact')).toBe(i)
  expect(statements).toBe(1)
})

test('replicas see the counts of each other after a sync', async () => {
  let time = 120_000_000
  const [a, b] = [makeRateCounts(1_000, () => time), makeRateCounts(1_000, () => time)]
  for (let i = 0; i < 10; i++) await a.count(sql, 'shared')
  time += 1_000
  await a.count(sql, 'shared')
  await expect
    .poll(async () => {
      time += 1_000
      return b.count(sql, 'shared')
    })
    .toBeGreaterThan(11)
})

test('a count without memory is exact across processes', async () => {
  const counts = await Promise.all(
    Array.from({ length: 20 }, () => makeRateCounts(0, () => 180_000_000).count(sql, 'edge')),
  )
  expect(counts.sort((x, y) => x - y)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
})

test('the minute before counts by its share of the last sixty seconds', async () => {
  let time = 240_000_000
  const counts = makeRateCounts(1_000, () => time)
  for (let i = 0; i < 60; i++) await counts.count(sql, 'sliding')
  time += 60_000 + 30_000
  expect(await counts.count(sql, 'sliding')).toBeCloseTo(31)
  time += 60_000
  expect(await counts.count(sql, 'sliding')).toBeLessThan(2)
})

test('a database that fails does not fail requests', async () => {
  const broken = makeSql({
    ...database.driver,
    query: () => Promise.reject(new Error('down')),
  })
  const counts = makeRateCounts(0)
  expect(await counts.count(broken, 'broken')).toBeGreaterThanOrEqual(0)
})
