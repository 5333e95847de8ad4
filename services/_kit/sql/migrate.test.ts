import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type Database, newDatabase } from '../../../tests/support/databases.ts'
import { migrate, pendingMigrations, statements } from './migrate.ts'
import { makeSql } from './sql.ts'

const folder = `_kit/sql/.migrate-test-${process.pid}`
const directory = new URL(`../../${folder}/migrations/`, import.meta.url)
const write = (file: string, text: string) => writeFileSync(new URL(file, directory), text)
const Table = z.object({ table_name: z.string() })

describe.each(['pglite', 'postgres'] as const)('migrations on %s', (on) => {
  let database: Database
  beforeEach(async () => {
    database = await newDatabase(on)
    mkdirSync(directory, { recursive: true })
    write('001_first.sql', 'create table {schema}.one (id int);\n')
  })
  afterEach(async () => {
    await database.drop()
    rmSync(new URL('..', directory), { recursive: true, force: true })
  })

  const tables = async () => {
    const rows = await makeSql(database.driver).rows(Table)`
      select table_name from information_schema.tables where table_schema = 'trial' order by 1`
    return rows.map((row) => row.table_name)
  }
  const kit = ['idempotency_keys', 'jobs', 'migrations']

  test('migrations are applied once and in order, also later ones', async () => {
    expect(await migrate(database.driver, folder, 'trial')).toEqual([
      '000_kit.sql',
      '001_first.sql',
    ])
    expect(await migrate(database.driver, folder, 'trial')).toEqual([])
    write('002_second.sql', 'create table {schema}.two (id int);\n')
    expect(await migrate(database.driver, folder, 'trial')).toEqual(['002_second.sql'])
    expect(await tables()).toEqual([...kit, 'one', 'two'])
  })

  test('a failed migration is rolled back', async () => {
    write('002_bad.sql', 'create table {schema}.two (id int);\nselect no_such_function();\n')
    await expect(migrate(database.driver, folder, 'trial')).rejects.toThrow('no_such_function')
    expect(await tables()).toEqual([])
    write('002_bad.sql', 'create table {schema}.two (id int);\n')
    await migrate(database.driver, folder, 'trial')
    expect(await tables()).toEqual([...kit, 'one', 'two'])
  })

  test('a migration changed after it was applied prevents the start and the plan', async () => {
    await migrate(database.driver, folder, 'trial')
    write('001_first.sql', 'create table {schema}.one (id int, more text);\n')
    for (const attempt of [migrate, pendingMigrations]) {
      await expect(attempt(database.driver, folder, 'trial')).rejects.toThrow(
        'was changed after it had been applied',
      )
    }
  })

  test('migrations are applied once when many replicas start concurrently', async () => {
    const applied = await Promise.all(
      Array.from({ length: 6 }, () => migrate(database.driver, folder, 'trial')),
    )
    expect(applied.filter((files) => files.length > 0)).toHaveLength(1)
  })
})

test('a script is split at the semicolons that end its statements', () => {
  const script = `
-- a comment;
create table a (id int);

create function f() returns trigger language plpgsql as $$
begin
  raise exception 'no;';
end
$$;
select 1`
  expect(statements(script)).toEqual([
    'create table a (id int);',
    "create function f() returns trigger language plpgsql as $$\nbegin\n  raise exception 'no;';\nend\n$$;",
    'select 1',
  ])
})
