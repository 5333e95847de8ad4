import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import * as z from 'zod'
import { postgresDriver } from '../services/_kit/sql/postgres.ts'
import { makeSql, type Sql } from '../services/_kit/sql/sql.ts'
import { services } from '../services/_run/services.ts'
import { run } from './support/process.ts'
import { binary } from './support/runtimes.ts'

const entry = fileURLToPath(new URL('../services/_run/migrate.ts', import.meta.url))
const permissions = ['--allow-env', '--allow-net', '--allow-read', '--allow-sys']

describe.each([
  ['node', process.execPath, [entry]],
  ['deno', binary('deno'), ['run', '--no-prompt', ...permissions, entry]],
])('the migration job on %s', (runtime, command, args) => {
  const name = `migrate_${runtime}_${crypto.randomUUID().slice(0, 8)}`
  let admin: Sql & { end(): Promise<void> }
  let url: string
  beforeAll(async () => {
    admin = makeSql(postgresDriver(inject('postgresUrl'), 1)) as typeof admin
    await admin.statement(`create database ${name}`)
    url = Object.assign(new URL(inject('postgresUrl')), { pathname: name }).href
  })
  afterAll(async () => {
    await admin.statement(`drop database ${name} with (force)`)
    await admin.end()
  })

  const migrate = (env: Record<string, string>, ...flags: string[]) =>
    run(command, [...args, ...flags], env)

  test('--plan lists the pending migrations and changes nothing', async () => {
    const plan = migrate({ DATABASE_URL: url }, '--plan')
    expect(await plan.exit).toBe(0)
    expect(plan.output()).toMatch(/memory-service: 001_facts\.sql\n {2}create table/)
    const driver = postgresDriver(url, 1)
    const [{ schema } = {}] = await makeSql(driver)`select to_regnamespace('memory') as schema`
    expect(schema).toBeNull()
    await driver.end()
  })

  test('migrates an empty database and exits; a second run changes nothing', async () => {
    const first = migrate({ DATABASE_URL: url })
    expect([await first.exit, first.output()]).toEqual([0, expect.stringContaining('up to date')])
    const driver = postgresDriver(url, 1)
    const sql = makeSql(driver)
    const schemas = await sql.rows(z.object({ name: z.string() }))`
      select schema_name as name from information_schema.schemata`
    const names = schemas.map(({ name }) => name)
    for (const { schema } of services) expect(names).toContain(schema)
    const upToDate = migrate({ DATABASE_URL: url }, '--plan')
    await upToDate.exit
    expect(upToDate.output()).toContain('memory-service: up to date')
    const again = migrate({ DATABASE_URL: url })
    expect(await again.exit).toBe(0)
    expect(again.output()).not.toContain('.sql')
    await driver.end()
  })

  test('fails with one line when the database is unreachable', async () => {
    const none = migrate({ DATABASE_URL: 'postgres://127.0.0.1:1/none' })
    expect(await none.exit).toBe(1)
    expect(none.output()).toContain('The database is not reachable')
  })
})
