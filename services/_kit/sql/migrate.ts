import { readdir, readFile } from 'node:fs/promises'
import * as z from 'zod'
import { sha256Hex } from '../hash.ts'
import {
  buildIndexes,
  buildsConcurrently,
  type Migration,
  migrationsTable,
} from './build-indexes.ts'
import { type Driver, identifier, type MigrationDriver, makeSql } from './sql.ts'

const Applied = z.object({ file: z.string(), checksum: z.string() })

/**
 * Applies the pending migrations of a service (`services/<folder>/migrations/NNN_what.sql`) in order,
 * forward only. Replicas that start together apply them once. Files run in one transaction, so that a failed
 * migration leaves no trace. Files that build indexes concurrently run between two transactions.
 */
export async function migrate(
  driver: MigrationDriver,
  folder: string,
  schema: string,
): Promise<string[]> {
  const files = await readMigrations(folder, schema)
  const applied: string[] = []
  for (;;) {
    const { done, next } = await applyInTransaction(driver, schema, files)
    applied.push(...done)
    if (!next) return applied
    if (await buildIndexes(driver, schema, next)) applied.push(next.file)
  }
}

/** Applies the pending files up to the next one that builds indexes concurrently, under an advisory lock. */
const applyInTransaction = (driver: Driver, schema: string, files: Migration[]) =>
  makeSql(driver).transaction(async (sql) => {
    const table = migrationsTable(schema)
    // The statement time-out of requests does not apply to migrations.
    await sql`set local statement_timeout = 0`
    await sql`select pg_advisory_xact_lock(hashtext(${`migrate ${schema}`}))`
    await sql`create schema if not exists ${identifier(schema)}`
    await sql`
      create table if not exists ${table}
        (file text primary key, checksum text not null, applied_at timestamptz default now())`
    const applied = await sql.rows(Applied)`select file, checksum from ${table}`
    const pending = selectPending(files, applied, schema)
    const next = pending.find(buildsConcurrently)
    const now = next ? pending.slice(0, pending.indexOf(next)) : pending
    for (const { file, checksum, statements } of now) {
      for (const statement of statements) await sql.statement(statement)
      await sql`insert into ${table} (file, checksum) values (${file}, ${checksum})`
    }
    return { done: now.map(({ file }) => file), next }
  })

/** Lists the migrations of a service that are not applied yet. Changes nothing. */
export async function pendingMigrations(driver: Driver, folder: string, schema: string) {
  const sql = makeSql(driver)
  const files = await readMigrations(folder, schema)
  const [table] = await sql`select to_regclass(${`${schema}.migrations`})::text as name`
  const applied = table?.name
    ? await sql.rows(Applied)`select file, checksum from ${migrationsTable(schema)}`
    : []
  return selectPending(files, applied, schema).map(({ file, statements }) => ({ file, statements }))
}

/** Returns the files that are not applied yet. Throws if a file changed after it had been applied. */
function selectPending(files: Migration[], applied: z.output<typeof Applied>[], schema: string) {
  const checksums = new Map(applied.map(({ file, checksum }) => [file, checksum]))
  for (const { file, checksum } of files) {
    const before = checksums.get(file)
    if (before && before !== checksum)
      throw new Error(`${schema}/${file} was changed after it had been applied`)
  }
  return files.filter(({ file }) => !checksums.has(file))
}

async function readMigrations(folder: string, schema: string): Promise<Migration[]> {
  const own = new URL(`../../${folder}/migrations/`, import.meta.url)
  const kit = new URL('./kit.sql', import.meta.url)
  const names = (await readdir(own)).filter((file) => file.endsWith('.sql')).sort()
  const urls = [
    ['000_kit.sql', kit] as const,
    ...names.map((file) => [file, new URL(file, own)] as const),
  ]
  return Promise.all(
    urls.map(async ([file, url]) => {
      const text = (await readFile(url, 'utf8')).replaceAll('{schema}', schema)
      return { file, statements: splitStatements(text), checksum: await sha256Hex(text) }
    }),
  )
}

/** Splits a script into statements at semicolons that end a line, outside $$ bodies. */
export function splitStatements(script: string): string[] {
  const found: string[] = []
  let current: string[] = []
  let inBody = false
  for (const line of script.split('\n')) {
    if (!inBody && /^\s*(--.*)?$/.test(line)) continue
    current.push(line)
    if ((line.match(/\$\$/g)?.length ?? 0) % 2 === 1) inBody = !inBody
    if (!inBody && /;\s*$/.test(line)) {
      found.push(current.join('\n'))
      current = []
    }
  }
  if (current.length > 0) found.push(current.join('\n'))
  return found
}
