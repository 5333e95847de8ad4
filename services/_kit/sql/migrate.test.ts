import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type Database, newDatabase } from '../../../tests/support/databases.ts'
import { migrate, pendingMigrations, splitStatements } from './migrate.ts'
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

  const index =
    'create unique index concurrently if not exists one_id\n  on {schema}.one (id) where id > 0;\n'

  test('concurrent indexes are built between the files before and after them, by one replica', async () => {
    write('002_index.sql', `-- Ids.\n${index}`)
    write('003_third.sql', 'create table {schema}.three (id int);\n')
    const applied = await Promise.all(
      Array.from({ length: 4 }, () => migrate(database.driver, folder, 'trial')),
    )
    expect(applied.flat().sort()).toEqual([
      '000_kit.sql',
      '001_first.sql',
      '002_index.sql',
      '003_third.sql',
    ])
    expect(await isValid()).toEqual([true])
    write('004_drop.sql', 'drop index concurrently if exists {schema}.one_id;\n')
    expect(await migrate(database.driver, folder, 'trial')).toEqual(['004_drop.sql'])
    expect(await isValid()).toEqual([])
  })

  test('an index whose build was interrupted is dropped and built again', async () => {
    const sql = makeSql(database.driver)
    await migrate(database.driver, folder, 'trial')
    await sql`insert into trial.one values (1), (1)`
    write('002_index.sql', index)
    await expect(migrate(database.driver, folder, 'trial')).rejects.toMatchObject({ code: '23505' })
    expect(await isValid()).toEqual([false])
    await sql`delete from trial.one`
    expect(await migrate(database.driver, folder, 'trial')).toEqual(['002_index.sql'])
    expect(await isValid()).toEqual([true])
  })

  test('a concurrent index in a file with other statements is refused, and nothing is applied', async () => {
    write('002_mixed.sql', `${index}create table {schema}.two (id int);\n`)
    await expect(migrate(database.driver, folder, 'trial')).rejects.toThrow('002_mixed.sql')
    expect(await tables()).toEqual([])
  })

  const isValid = async () => {
    const rows = await makeSql(database.driver).rows(z.object({ indisvalid: z.boolean() }))`
      select indisvalid from pg_index where indexrelid = to_regclass('trial.one_id')`
    return rows.map(({ indisvalid }) => indisvalid)
  }
})

test('writes go on while a concurrent index waits for an older transaction', async () => {
  const database = await newDatabase('postgres')
  const sql = makeSql(database.driver)
  mkdirSync(directory, { recursive: true })
  try {
    write('001_first.sql', 'create table {schema}.one (id int);\n')
    await migrate(database.driver, folder, 'trial')
    write('002_index.sql', 'create index concurrently if not exists one_id on {schema}.one (id);\n')
    const migrated = await sql.transaction(async (older) => {
      await older`insert into trial.one values (1)`
      const pending = migrate(database.driver, folder, 'trial')
      await expect
        .poll(() => sql`select from pg_stat_progress_create_index where lockers_total > 0`)
        .toHaveLength(1)
      await sql`insert into trial.one values (2)`
      return { pending }
    })
    expect(await migrated.pending).toEqual(['002_index.sql'])
    expect(await sql`select id from trial.one order by id`).toEqual([{ id: 1 }, { id: 2 }])
  } finally {
    await database.drop()
    rmSync(new URL('..', directory), { recursive: true, force: true })
  }
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
  expect(splitStatements(script)).toEqual([
    'create table a (id int);',
    "create function f() returns trigger language plpgsql as $$\nbegin\n  raise exception 'no;';\nend\n$$;",
    'select 1',
  ])
})
