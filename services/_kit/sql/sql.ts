import type * as z from 'zod'
import { storableJson } from '../storable.ts'

export type Param = string | number | boolean | null
export type Row = Record<string, unknown>

export interface QueryOptions {
  /** Plans the statement for its values each time. Default: PostgreSQL may use one plan for all values. */
  replan?: boolean
}

/** Database interface. Each driver is a file in this folder. */
export interface Driver {
  query(text: string, params: Param[], options?: QueryOptions): Promise<Row[]>
  /** Runs `work` in one transaction on one connection; an exception rolls back. */
  transaction<T>(work: (query: Driver['query']) => Promise<T>): Promise<T>
  end(): Promise<void>
}

/** Interface of migrations. Services have no sessions: a pool may serve each of their queries. */
export interface MigrationDriver extends Driver {
  /** Runs `work` on one connection without a transaction, for settings and locks of the session. */
  session<T>(work: (query: Driver['query']) => Promise<T>): Promise<T>
}

/** A piece of SQL with its parameters, to embed into a statement. */
export class SqlFragment {
  readonly strings: readonly string[]
  readonly values: readonly Value[]

  constructor(strings: readonly string[], values: readonly Value[]) {
    this.strings = strings
    this.values = values
  }
}

export type Value = Param | SqlFragment
type Tag<T> = (strings: TemplateStringsArray, ...values: Value[]) => Promise<T>

interface Select {
  /** Returns rows, each validated by the schema. */
  rows<Schema extends z.ZodType>(schema: Schema): Tag<z.output<Schema>[]>
  /** Returns the first row, validated, or undefined. */
  row<Schema extends z.ZodType>(schema: Schema): Tag<z.output<Schema> | undefined>
}

export interface Sql extends Tag<Row[]>, Select {
  /** For statements whose best plan depends on the values, such as a filter by a frequent or a rare value. */
  replan: Select
  /** Runs `work` in a transaction; nested calls use savepoints. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** Runs a statement without parameters, for migrations. */
  statement(text: string): Promise<Row[]>
  end(): Promise<void>
}

export const fragment = (strings: TemplateStringsArray, ...values: Value[]): SqlFragment =>
  new SqlFragment(strings, values)

/** Concatenates fragments, for optional conditions. */
export const join = (parts: SqlFragment[]): SqlFragment =>
  new SqlFragment(['', ...parts.map(() => '')], parts)

/** Any JSON value as jsonb. Sent as text, so that every driver sends the same bytes. */
export const json = (value: unknown): SqlFragment =>
  new SqlFragment(['', '::text::jsonb'], [storableJson(value)])

export const textArray = (list: readonly string[]): SqlFragment =>
  new SqlFragment(['', '::text::text[]'], [`{${list.map(quoteElement).join(',')}}`])

export const numberArray = (
  list: readonly number[],
  type: 'int8' | 'int4' | 'float4' = 'int8',
): SqlFragment => new SqlFragment(['', `::text::${type}[]`], [`{${list.join(',')}}`])

/** A timestamp from milliseconds since the epoch. */
export const timestamp = (milliseconds: number): SqlFragment =>
  new SqlFragment(['to_timestamp(', '::float8 / 1000)'], [milliseconds])

/** An element of an array in the text form of PostgreSQL. */
export const quoteElement = (text: string) =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

/** A schema or table name from the code, never from input. */
export function identifier(identifier: string): SqlFragment {
  if (!/^[a-z_]\w*(\.[a-z_]\w*)?$/.test(identifier))
    throw new Error(`not an identifier: ${identifier}`)
  return new SqlFragment([identifier], [])
}

/** An integer as a literal, where the planner must see the value. */
export function integerLiteral(value: number): SqlFragment {
  if (!Number.isSafeInteger(value)) throw new Error(`not an integer: ${value}`)
  return new SqlFragment([String(value)], [])
}

function compile(strings: readonly string[], values: readonly Value[]) {
  const params: Param[] = []
  let text = ''
  const add = (strings: readonly string[], values: readonly Value[]) => {
    text += strings[0]
    values.forEach((value, index) => {
      if (value instanceof SqlFragment) add(value.strings, value.values)
      else text += `$${params.push(value)}`
      text += strings[index + 1]
    })
  }
  add(strings, values)
  return { text, params }
}

/** Serialization failure or deadlock: the transaction was rolled back and can be retried. */
const isSerializationFailure = (thrown: unknown) =>
  ['40001', '40P01'].includes(String((thrown as { code?: unknown } | null)?.code))

export function makeSql(driver: Driver): Sql {
  const transaction: Sql['transaction'] = async (work) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await driver.transaction((query) =>
          failOnStatementError(query, savepoints(query), work),
        )
      } catch (thrown) {
        if (attempt === 4 || !isSerializationFailure(thrown)) throw thrown
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt))
      }
    }
  }
  return makeTag(
    (text, params, options) => driver.query(text, params, options),
    transaction,
    driver,
  )
}

function savepoints(query: Driver['query']): Sql['transaction'] {
  let depth = 0
  const transaction: Sql['transaction'] = async (work) => {
    const point = `point_${++depth}`
    await query(`savepoint ${point}`, [])
    try {
      const result = await failOnStatementError(query, transaction, work)
      await query(`release savepoint ${point}`, [])
      return result
    } catch (thrown) {
      await query(`rollback to savepoint ${point}`, [])
      throw thrown
    }
  }
  return transaction
}

/**
 * Fails the transaction if any statement failed, even if the caller caught the error: PostgreSQL would
 * turn the commit into a silent rollback.
 */
async function failOnStatementError<T>(
  query: Driver['query'],
  transaction: Sql['transaction'],
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const failures: unknown[] = []
  const trackedQuery: Driver['query'] = (text, params, options) => {
    const pending = query(text, params, options)
    pending.catch((thrown) => failures.push(thrown))
    return pending
  }
  const result = await work(makeTag(trackedQuery, transaction, undefined))
  if (failures.length > 0) throw failures[0]
  return result
}

function makeTag(
  query: Driver['query'],
  transaction: Sql['transaction'],
  driver: Driver | undefined,
): Sql {
  const run = (
    strings: readonly string[],
    values: readonly Value[],
    options?: QueryOptions,
  ): Promise<Row[]> => {
    const { text, params } = compile(strings, values)
    return query(text, params, options)
  }
  const select = (options?: QueryOptions): Select => ({
    rows:
      (schema) =>
      async (strings, ...values) =>
        (await run(strings, values, options)).map((row) => schema.parse(row)),
    row:
      (schema) =>
      async (strings, ...values) => {
        const [row] = await run(strings, values, options)
        return row === undefined ? undefined : schema.parse(row)
      },
  })
  const tag: Tag<Row[]> = (strings, ...values) => run(strings, values)
  return Object.assign(tag, {
    ...select(),
    replan: select({ replan: true }),
    transaction,
    statement: (text: string) => query(text, []),
    end: async () => driver?.end(),
  })
}

/**
 * Normalizes a time of any driver to RFC 3339 in UTC with milliseconds. In the form of PostgreSQL
 * (`2026-01-31 12:00:00.123456+00`) JavaScript does not read the years before 100.
 */
export function timeFromText(text: string): string {
  const hasShortOffset = /[+-]\d\d$/.test(text) && text.length > 10
  return new Date(`${text.replace(' ', 'T')}${hasShortOffset ? ':00' : ''}`).toISOString()
}
