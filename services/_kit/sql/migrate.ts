import { readdir, readFile } from 'node:fs/promises'
import * as z from 'zod'
import { sha256Hex } from '../hash.ts'
import { type Driver, identifier, makeSql } from './sql.ts'

const Applied = z.object({ file: z.string(), checksum: z.string() })

/**
 * Applies the pending migrations of a service (`services/<folder>/migrations/NNN_what.sql`) in order,
 * forward only, in one transaction under an advisory lock. Replicas that start together apply them once;
 * a failed migration leaves no trace.
 */
export async function migrate(driver: Driver, folder: string, schema: string): Promise<string[]> {
  const files = await readMigrations(folder, schema)
  const table = identifier(`${schema}.migrations`)
  return makeSql(driver).transaction(async (sql) => {
    // The statement time-out of requests does not apply to migrations.
    await sql`set local statement_timeout = 0`
    await sql`select pg_advisory_xact_lock(hashtext(${`migrate ${schema}`}))`
    await sql`create schema if not exists ${identifier(schema)}`
    await sql`
      create table if not exists ${table}
        (file text primary key, checksum text not null, applied_at timestamptz default now())`
    const applied = await sql.rows(Applied)`select file, checksum from ${table}`
    const pending = selectPending(files, applied, schema)
    for (const { file, checksum, text } of pending) {
      for (const statement of statements(text)) await sql.statement(statement)
      await sql`insert into ${table} (file, checksum) values (${file}, ${checksum})`
    }
    return pending.map(({ file }) => file)
  })
}

/** Lists the migrations of a service that are not applied yet. Changes nothing. */
export async function pendingMigrations(driver: Driver, folder: string, schema: string) {
  const sql = makeSql(driver)
  const files = await readMigrations(folder, schema)
  const [table] = await sql`select to_regclass(${`${schema}.migrations`})::text as name`
  const applied = table?.name
    ? await sql.rows(Applied)`select file, checksum from ${identifier(`${schema}.migrations`)}`
    : []
  return selectPending(files, applied, schema).map(({ file, text }) => ({
    file,
    statements: statements(text),
  }))
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

interface Migration {
  file: string
  text: string
  checksum: string
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
      return { file, text, checksum: await sha256Hex(text) }
    }),
  )
}

/** Splits a script into statements at semicolons that end a line, outside $$ bodies. */
export function statements(script: string): string[] {
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
