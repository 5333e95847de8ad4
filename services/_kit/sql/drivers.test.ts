import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newDatabase } from '../../../tests/support/databases.ts'
import { startWebSocketProxy } from '../../../tests/support/websocket-proxy.ts'
import { neonDriver } from './neon.ts'
import { postgresDriver } from './postgres.ts'
import { type Driver, json, makeSql, numberArray, type Row, type Sql, textArray } from './sql.ts'

const awkward = `it's a "quote", a \\ backslash, {braces}, a\ttab,\na line, 中文 and 😀`

let sql: Sql
let connect: (pool: number) => Driver
let close: () => Promise<void>
afterAll(() => close())

async function open(kind: 'pglite' | 'postgres' | 'neon') {
  await close?.()
  const database = await newDatabase(kind === 'pglite' ? 'pglite' : 'postgres')
  const relay = kind === 'neon' ? await startWebSocketProxy() : undefined
  connect = (pool) =>
    relay ? neonDriver(database.url, pool, relay.address) : postgresDriver(database.url, pool)
  sql = makeSql(kind === 'pglite' ? database.driver : connect(5))
  close = async () => {
    await sql.end()
    await relay?.close()
    await database.drop()
  }
  await sql`create table public.things (id int primary key, seen int8 default 0)`
}

const value = async (rows: Promise<Row[]>) => (await rows)[0]?.value

describe.each(['pglite', 'postgres', 'neon'] as const)('%s driver', (kind) => {
  beforeAll(() => open(kind))
  beforeEach(async () => {
    await sql`delete from public.things`
  })

  const ids = async () => (await sql`select id from public.things order by id`).map(({ id }) => id)

  describe('results', () => {
    test.each([
      ['2024-02-29 12:34:56.789123+00', '2024-02-29T12:34:56.789Z'],
      ['2024-02-29 12:34:56.7+00', '2024-02-29T12:34:56.700Z'],
      ['2024-02-29 12:34:56+00', '2024-02-29T12:34:56.000Z'],
      ['2024-02-29T23:30:00-05:30', '2024-03-01T05:00:00.000Z'],
    ])('the time %s is returned as RFC 3339 in UTC', async (input, expected) => {
      expect(await value(sql`select ${input}::timestamptz as value`)).toBe(expected)
    })

    test('a time does not depend on the time zone of the session', async () => {
      const time = await sql.transaction(async (sql) => {
        await sql`set local time zone 'Asia/Kolkata'`
        return value(sql`select ${'2024-02-29T12:00:00Z'}::timestamptz as value`)
      })
      expect(time).toBe('2024-02-29T12:00:00.000Z')
    })

    test('a date is returned without a time', async () => {
      expect(await value(sql`select ${'2024-02-29'}::date as value`)).toBe('2024-02-29')
    })

    test('numbers, booleans and null are returned as such', async () => {
      const [row] = await sql`
        select ${Number.MAX_SAFE_INTEGER}::int8 as int8, ${-7}::int as int4, ${0.1}::float8 as float8,
          ${0.5}::float4 as float4, count(*) as counted, ${true}::bool as yes, ${false}::bool as no,
          ${null}::text as nothing, ${null}::jsonb as no_json, ${'1.50'}::numeric as exact`
      expect(row).toEqual({
        int8: Number.MAX_SAFE_INTEGER,
        int4: -7,
        float8: 0.1,
        float4: 0.5,
        counted: 1,
        yes: true,
        no: false,
        nothing: null,
        no_json: null,
        exact: '1.50',
      })
    })

    test('text is returned unchanged', async () => {
      expect(await value(sql`select ${awkward}::text as value`)).toBe(awkward)
      expect(await value(sql`select ${''}::text as value`)).toBe('')
    })

    test.each([
      [{ a: [1, { b: null }], text: awkward }],
      [[]],
      [{}],
      ['a string'],
      ['null'],
      ['"quoted"'],
      ['{"not": "an object"}'],
      [awkward],
      [''],
      [0],
      [-1.5e-7],
      [true],
      [false],
      [null],
    ])('jsonb %j is returned unchanged', async (input) => {
      const [row] = await sql`select ${json(input)} as value, jsonb_typeof(${json(input)}) as type`
      expect(row).toEqual({ value: input, type: describeType(input) })
    })

    test('arrays of text and numbers are returned as lists, also empty ones', async () => {
      const list = ['plain', '', 'null', 'NULL', 'a,b', '{x}', awkward]
      const [row] = await sql`
        select ${textArray(list)} as texts, ${textArray([])} as no_texts, ${numberArray([1, -2, 2 ** 40])} as ints,
          ${numberArray([])} as no_ints, ${numberArray([0.5, -1.25], 'float4')} as floats`
      expect(row).toEqual({
        texts: list,
        no_texts: [],
        ints: [1, -2, 2 ** 40],
        no_ints: [],
        floats: [0.5, -1.25],
      })
    })

    test('arrays of times are returned as lists of strings', async () => {
      const [row] = await sql`
        select array['2024-02-29T12:00:00Z']::timestamptz[] as times,
          array['2024-02-29']::date[] as dates`
      expect(row).toEqual({ times: ['2024-02-29T12:00:00.000Z'], dates: ['2024-02-29'] })
    })

    test('concurrent queries get their own results', async () => {
      const numbers = Array.from({ length: 30 }, (_, index) => index)
      const results = await Promise.all(
        numbers.map((each) => value(sql`select ${each}::int as value`)),
      )
      expect(results).toEqual(numbers)
    })
  })

  describe('a transaction', () => {
    test('a transaction commits all its statements', async () => {
      const result = await sql.transaction(async (sql) => {
        await sql`insert into public.things (id) values (1)`
        await sql`insert into public.things (id) values (2)`
        return 'done'
      })
      expect(result).toBe('done')
      expect(await ids()).toEqual([1, 2])
    })

    test('an exception rolls the transaction back and is rethrown', async () => {
      const thrown = new Error('changed my mind')
      const work = sql.transaction(async (sql) => {
        await sql`insert into public.things (id) values (1)`
        throw thrown
      })
      await expect(work).rejects.toBe(thrown)
      expect(await ids()).toEqual([])
    })

    test('a failed nested transaction rolls back only its own statements', async () => {
      await sql.transaction(async (sql) => {
        await sql`insert into public.things (id) values (1)`
        const inner = sql.transaction(async (sql) => {
          await sql`insert into public.things (id) values (2)`
          await sql.transaction((sql) => sql`insert into public.things (id) values (3)`)
          await sql`insert into public.things (id) values (1)`
        })
        await expect(inner).rejects.toMatchObject({ code: '23505' })
        await sql.transaction((sql) => sql`insert into public.things (id) values (4)`)
      })
      expect(await ids()).toEqual([1, 4])
    })

    test('a failed statement fails the transaction even if its error was caught', async () => {
      const work = sql.transaction(async (sql) => {
        await sql`insert into public.things (id) values (1)`
        await sql`insert into public.things (id) values (1)`.catch(() => {})
      })
      await expect(work).rejects.toMatchObject({ code: '23505' })
      expect(await ids()).toEqual([])
    })

    test('a transaction with a serialization failure is retried', async () => {
      let attempts = 0
      await sql.transaction(async (sql) => {
        attempts++
        await sql`insert into public.things (id) values (${attempts}::int)`
        if (attempts < 3) await sql`do $$ begin raise exception using errcode = '40001'; end $$`
      })
      expect(attempts).toBe(3)
      expect(await ids()).toEqual([3])
    })
  })

  describe('an error', () => {
    test('an error has its SQLSTATE', async () => {
      await sql`insert into public.things (id) values (1)`
      const again = sql`insert into public.things (id) values (1)`
      await expect(again).rejects.toMatchObject({ code: '23505' })
      await expect(sql`select 1 / 0`).rejects.toMatchObject({ code: '22012' })
      await expect(sql`select nonsense`).rejects.toMatchObject({ code: '42703' })
    })
  })
})

describe.each(['postgres', 'neon'] as const)('connections of the %s driver', (kind) => {
  beforeAll(() => open(kind))

  test('deadlocked transactions both succeed by retry', async () => {
    await sql`insert into public.things (id) values (1), (2)`
    const both = Promise.withResolvers<void>()
    let holding = 0
    const add = (first: number, second: number) =>
      sql.transaction(async (sql) => {
        await sql`set local deadlock_timeout = '10ms'`
        await sql`update public.things set seen = seen + 1 where id = ${first}`
        if (++holding === 2) both.resolve()
        await both.promise
        await sql`update public.things set seen = seen + 1 where id = ${second}`
      })
    await Promise.all([add(1, 2), add(2, 1)])
    expect(holding).toBeGreaterThan(2)
    expect(await sql`select seen from public.things`).toEqual([{ seen: 2 }, { seen: 2 }])
  })

  const lost = expect.stringMatching(/^(57P01$|CONNECTION_)/)

  test('a terminated connection fails its statement and is replaced', async () => {
    const single = makeSql(connect(1))
    const cut = single`select pg_terminate_backend(pg_backend_pid())`
    await expect(cut).rejects.toMatchObject({ code: lost })
    // The replacement connection may report the same failure once more.
    await single`select 0`.catch(() => {})
    for (const numbers of [1, 2, 3]) {
      expect(await single`select ${numbers}::int as value`).toEqual([{ value: numbers }])
    }
    await single.end()
  })

  test.each([
    ['at once', 0],
    ['after a while', 50],
  ])('a transaction on a terminated connection fails if it continues %s', async (_, ms) => {
    await sql`delete from public.things`
    const cut = sql.transaction(async (transactionSql) => {
      const [row] = await transactionSql`select pg_backend_pid() as pid`
      await sql`select pg_terminate_backend(${row!.pid as number}::int, 5000)`
      await new Promise((resolve) => setTimeout(resolve, ms))
      await transactionSql`insert into public.things (id) values (1)`
    })
    await expect(cut).rejects.toMatchObject({ code: lost })
    expect(await sql`select * from public.things`).toEqual([])
  })

  test('a transaction on a terminated connection fails at its commit', async () => {
    const cut = sql.transaction(async (transactionSql) => {
      const [row] = await transactionSql`select pg_backend_pid() as pid`
      await sql`select pg_terminate_backend(${row!.pid as number}::int, 5000)`
    })
    await expect(cut).rejects.toMatchObject({ code: lost })
  })
})

const describeType = (input: unknown) =>
  input === null ? 'null' : Array.isArray(input) ? 'array' : typeof input
