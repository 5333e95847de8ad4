import { afterAll, beforeAll, expect, test } from 'vitest'
import { newDatabase } from '../../tests/support/databases.ts'
import type { ServiceContext } from '../_kit/context.ts'
import { makeSql, type Sql } from '../_kit/sql/sql.ts'
import type { Deps } from './deps.ts'
import { claimObject, discardObject, registerObject } from './orphans.ts'

let database: Awaited<ReturnType<typeof newDatabase>>
let sql: Sql
const removed: string[] = []
const store = async () => ({ remove: async (key: string) => void removed.push(key) })
const buildContext = () => ({ sql, store }) as unknown as ServiceContext<Deps>

beforeAll(async () => {
  database = await newDatabase('pglite')
  sql = makeSql(database.driver)
})
afterAll(() => database.drop())

test('a discarded object is deleted with its registration', async () => {
  await registerObject(sql, 'files/a')
  await discardObject(buildContext(), 'files/a')
  expect(removed).toEqual(['files/a'])
  expect(await sql`select * from files.orphaned_objects`).toEqual([])
})

test('discarding a claimed object does not delete it', async () => {
  removed.length = 0
  await registerObject(sql, 'files/b')
  expect(await claimObject(sql, 'files/b')).toBe(true)
  await discardObject(buildContext(), 'files/b')
  expect(removed).toEqual([])
  expect(await sql`select * from files.orphaned_objects`).toEqual([])
})

test('an object with a requested deletion cannot be claimed', async () => {
  await registerObject(sql, 'files/c')
  await discardObject(buildContext(), 'files/c')
  expect(await claimObject(sql, 'files/c')).toBe(false)
})
