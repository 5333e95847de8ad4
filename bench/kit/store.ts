import { once } from 'node:events'
import type { Writable } from 'node:stream'
import postgres from 'postgres'
import { migrate } from '../../services/_kit/sql/migrate.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { tokenize } from '../../services/_kit/tokenize.ts'
import memory from '../../services/memory/service.ts'
import { indexFact } from '../../services/memory/terms.ts'
import { makeRandom } from '../support/random.ts'
import { entityKey, generateContent } from './corpus.ts'
import { createDatabase, dropDatabase } from './postgres.ts'
import { tenant } from './requests.ts'

export interface Store {
  url: string
  /** How many facts the first user has. */
  facts: number
  /** How many others there are in the same tenant, with `ofOthers` facts each. */
  others: number
  drop(): Promise<void>
}

export const factsPerOtherUser = 1_000
export const firstUser = 'user-0'

/**
 * A database of one tenant: a user with so many facts, and among them, one user for each ten thousand,
 * others with a thousand each. Beside the facts are the same words as `tsvector`.
 */
export async function makeStore(server: string, facts: number): Promise<Store> {
  const url = await createDatabase(server)
  const driver = postgresDriver(url, 1)
  await migrate(driver, memory.folder, memory.schema)
  await driver.end()
  const others = Math.ceil(facts / 10_000)
  const sql = postgres(url, { max: 2, onnotice: () => {} })
  const definitions = await dropIndexes(sql)
  await loadFacts(sql, facts, others)
  await Promise.all([indexFacts(sql, definitions), indexVectors(sql)])
  await sql.end()
  return { url, facts, others, drop: () => dropDatabase(url) }
}

/** Indexes are made after the rows: that is many times faster than row by row. */
async function dropIndexes(sql: postgres.Sql): Promise<string[]> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = 'memory' and tablename = 'facts' and indexname <> 'facts_pkey'`
  for (const { name } of indexes) await sql.unsafe(`drop index memory.${name}`)
  return indexes.map(({ definition }) => definition)
}

async function indexFacts(sql: postgres.Sql, definitions: string[]) {
  await sql.unsafe(`set maintenance_work_mem = '1GB'; ${definitions.join(';')}`)
  await sql.unsafe('vacuum analyze memory.facts')
}

/** What PostgreSQL's own ranking needs: an index by words and one by user. */
async function indexVectors(sql: postgres.Sql) {
  await sql.unsafe(`set maintenance_work_mem = '1GB';
    create index on vectors using gin (words);
    create index on vectors (tenant_id, user_id)`)
  await sql.unsafe('vacuum analyze vectors')
}

/** Generates the facts once and writes both tables as it goes, each over a connection of its own. */
async function loadFacts(sql: postgres.Sql, facts: number, others: number) {
  await sql.unsafe('create table vectors (id uuid, tenant_id text, user_id text, words tsvector)')
  // Nothing here outlives the run, so it need not be written twice.
  await sql.unsafe('alter table memory.conflicts set unlogged')
  await sql.unsafe('alter table memory.facts set unlogged')
  await sql.unsafe('alter table vectors set unlogged')
  const intoFacts = await copyInto(
    sql,
    `memory.facts (id, tenant_id, user_id, scope, entity_key, category, content, confidence, source,
      metadata, terms, term_counts)`,
  )
  const intoVectors = await copyInto(sql, 'vectors')
  const random = makeRandom(7)
  const total = facts + others * factsPerOtherUser
  for (let n = 0; n < total; n++) {
    const user = userOf(n, facts, total)
    const id = `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
    const key = entityKey(random, n)
    const text = generateContent(random)
    const { terms, termCounts } = indexFact(tenant, user, key, text)
    const columns = ['global', key, 'summary', text, 1, 'import', '{}']
    await intoFacts.row([id, tenant, user, ...columns, `{${terms}}`, termCounts])
    await intoVectors.row([id, tenant, user, toTsvector(tokenize(`${key} ${text}`))])
  }
  await Promise.all([intoFacts.end(), intoVectors.end()])
}

/** The rows of all users lie mixed on the disk, as they would if told over time. */
function userOf(n: number, facts: number, total: number): string {
  const before = (n: number) => Math.floor((n * (total - facts)) / total)
  const other = before(n)
  return before(n + 1) > other ? otherUser(Math.floor(other / factsPerOtherUser)) : firstUser
}

export const otherUser = (n: number) => `user-${n + 1}`

async function copyInto(sql: postgres.Sql, table: string) {
  const out: Writable = await sql.unsafe(`copy ${table} from stdin`).writable()
  let lines = ''
  return {
    async row(cells: (string | number)[]) {
      lines += `${cells.join('\t').replaceAll('\\', '\\\\')}\n`
      if (lines.length < 2 ** 18) return
      const room = out.write(lines)
      lines = ''
      if (!room) await once(out, 'drain')
    },
    async end() {
      out.end(lines)
      await once(out, 'finish')
    },
  }
}

const toTsvector = (all: string[]) =>
  all.map((word, at) => `${quoteLexeme(word)}:${at + 1}`).join(' ')

export const quoteLexeme = (word: string) =>
  word.includes("'") ? `'${word.replaceAll("'", "''")}'` : `'${word}'`
