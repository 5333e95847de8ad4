import * as z from 'zod'
import { identifier, type MigrationDriver, makeSql, type Sql } from './sql.ts'

export interface Migration {
  file: string
  statements: string[]
  checksum: string
}

export const migrationsTable = (schema: string) => identifier(`${schema}.migrations`)

const concurrentStatement =
  /^(?:create (?:unique )?index concurrently if not exists (?<index>\w+)\s+on (?<schema>\w+)\.|drop index concurrently if exists )/i

/** True for a migration that builds or drops indexes while the tables are written. */
export function buildsConcurrently({ file, statements }: Migration): boolean {
  if (!statements.some((text) => /\bindex\s+concurrently\b/i.test(text))) return false
  if (statements.every((text) => concurrentStatement.test(text))) return true
  throw new Error(
    `${file}: each statement must begin with "create index concurrently if not exists <name> on <schema>.<table>" or "drop index concurrently if exists".`,
  )
}

const lockPollMs = 100

/**
 * Applies a migration of concurrent indexes; false if another replica did. Concurrent statements run outside
 * of transactions and wait for every older statement. Replicas therefore poll for the lock: a statement
 * that waited for it would be waited for in turn. A build that was interrupted leaves an invalid index, which
 * is dropped and built again.
 */
export const buildIndexes = (driver: MigrationDriver, schema: string, migration: Migration) =>
  driver.session(async (query) => {
    const sql = makeSql({ ...driver, query })
    try {
      await sql`set statement_timeout = 0`
      while (!(await tryLock(sql, schema))) {
        await new Promise((resolve) => setTimeout(resolve, lockPollMs))
      }
      return await apply(sql, schema, migration)
    } finally {
      // Both fail with the connection, and end with it.
      await sql`select pg_advisory_unlock_all()`.catch(() => {})
      await sql`reset statement_timeout`.catch(() => {})
    }
  })

const Locked = z.object({ locked: z.boolean() })

async function tryLock(sql: Sql, schema: string): Promise<boolean> {
  const row = await sql.row(Locked)`
    select pg_try_advisory_lock(hashtext(${`build indexes ${schema}`})) as locked`
  return row!.locked
}

async function apply(sql: Sql, schema: string, { file, statements, checksum }: Migration) {
  const table = migrationsTable(schema)
  const applied = await sql`select from ${table} where file = ${file}`
  if (applied.length > 0) return false
  for (const statement of statements) {
    const { index, schema } = concurrentStatement.exec(statement)!.groups!
    if (index) await dropInvalid(sql, `${schema}.${index}`)
    await sql.statement(statement)
  }
  // The embedded database has one session, whose lock does not exclude itself.
  const inserted = await sql`
    insert into ${table} (file, checksum) values (${file}, ${checksum})
    on conflict do nothing returning file`
  return inserted.length > 0
}

async function dropInvalid(sql: Sql, index: string) {
  const invalid = await sql`
    select from pg_index where indexrelid = to_regclass(${index}) and not indisvalid`
  if (invalid.length > 0) await sql`drop index concurrently ${identifier(index)}`
}
