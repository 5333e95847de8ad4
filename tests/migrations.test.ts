import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { splitStatements } from '../services/_kit/sql/migrate.ts'

/** Last migration of each service from before indexes could be built concurrently. These files do not change. */
const lastBlocking: Record<string, string> = {
  'ai-engine': '012_budget_reservations.sql',
  collector: '008_seed_run_packages.sql',
  consultations: '006_list_indexes.sql',
  gateway: '006_list_indexes.sql',
  knowledge: '100_numbering.sql',
  matter: '005_more_list_indexes.sql',
  memory: '003_list_indexes.sql',
  platform: '004_list_indexes.sql',
}

function isChecked(path: string): boolean {
  const [, service, , file] = path.split('/')
  return file! > (lastBlocking[service!] ?? '')
}

/** Tables that get an index in a file that did not create them: the build would block their writes. */
function findBlockingIndexes(script: string): string[] {
  const statements = splitStatements(script)
  const tables = (pattern: RegExp) => statements.flatMap((text) => pattern.exec(text)?.[1] ?? [])
  const created = new Set(tables(/^create table (?:if not exists )?([\w.{}]+)/i))
  return tables(/^create (?:unique )?index (?!concurrently)(?:\w+ )?on ([\w.{}]+)/i).filter(
    (table) => !created.has(table),
  )
}

test('a migration builds the indexes of existing tables concurrently', () => {
  const files = globSync('services/*/migrations/*.sql').filter(isChecked)
  expect(files).toContain('services/knowledge/migrations/110_document_list.sql')
  const blocking = files.flatMap((file) =>
    findBlockingIndexes(readFileSync(file, 'utf8')).map((table) => `${file}: ${table}`),
  )
  expect(blocking).toEqual([])
})

test('an index on a table of an earlier file is reported, one on a table of the same file is not', () => {
  const script =
    'create table a.new (id int);\ncreate index on a.new (id);\ncreate unique index x on a.old (id);\n'
  expect(findBlockingIndexes(script)).toEqual(['a.old'])
})
