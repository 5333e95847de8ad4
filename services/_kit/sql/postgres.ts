import postgres from 'postgres'
import {
  type Driver,
  type MigrationDriver,
  type Param,
  type QueryOptions,
  type Row,
  timeFromText,
} from './sql.ts'

const same = (value: unknown) => value

/** A pool of connections to a PostgreSQL server. */
export function postgresDriver(url: string, pool: number): MigrationDriver {
  const sql = postgres(url, {
    max: pool,
    onnotice: () => {},
    connect_timeout: 5,
    connection: { application_name: 'legal-suite', statement_timeout: 30_000 },
    types: {
      time: { to: 1184, from: [1184, 1114], serialize: same, parse: timeFromText },
      day: { to: 1082, from: [1082], serialize: same, parse: same },
      int8: { to: 20, from: [20], serialize: String, parse: Number },
    },
  }) as unknown as postgres.Sql

  return {
    query: async (text, params, options) =>
      toPlainArray(await statement(sql, text, params, options)),
    transaction: (work) => transaction(sql, work),
    async session(work) {
      const connection = await sql.reserve()
      try {
        return await work(async (text, params, options) =>
          toPlainArray(await statement(connection, text, params, options)),
        )
      } finally {
        connection.release()
      }
    },
    end: () => sql.end({ timeout: 5 }),
  }
}

/** A prepared statement gets one plan for all values after five executions, an unnamed one never. */
const statement = (
  connection: postgres.ISql,
  text: string,
  params: Param[],
  options?: QueryOptions,
) => connection.unsafe(text, params, { prepare: !options?.replan })

/** Returns plain rows. After a lost connection a result may start with holes, which `filter` skips. */
const toPlainArray = (result: Row[]) => result.filter(() => true)

/**
 * Stops sending after a lost connection. `postgres` fails the transaction but would send later statements
 * to no socket, which crashes the process, or to a new connection outside of any transaction.
 */
async function transaction<T>(
  sql: postgres.Sql,
  work: (query: Driver['query']) => Promise<T>,
): Promise<T> {
  let lost = false
  const query =
    (connection: postgres.TransactionSql): Driver['query'] =>
    async (text, params, options) => {
      if (lost) throw Object.assign(new Error('connection closed'), { code: 'CONNECTION_CLOSED' })
      const pending = statement(connection, text, params, options)
      // `postgres` would fail the whole transaction for a statement that a savepoint rolled back.
      pending.catch = () => pending as never
      return toPlainArray(await pending)
    }
  const outcome = sql.begin(
    (connection) =>
      new Promise<T>((resolve, reject) => {
        work(query(connection)).then(
          (result) => lost || resolve(result),
          // A broken connection first fails the statement and reports the close a moment later.
          (thrown) => setTimeout(() => lost || reject(thrown)),
        )
      }),
  )
  outcome.catch(() => {
    lost = true
  })
  return outcome as Promise<T>
}
