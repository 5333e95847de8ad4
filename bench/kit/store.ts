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
  /** Number of facts of the first user. */
  facts: number
  /** Number of other users of the tenant, with `factsPerOtherUser` facts each. */
  others: number
  drop(): Promise<void>
}

export const factsPerOtherUser = 1_000
export const firstUser = 'user-0'

/**
 * Creates a database of one tenant: one user with `facts` facts and, per 10,000 of them, one other user
 * with 1,000 facts. A second table has the same tokens as `tsvector`.
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

/** Drops the indexes before loading; building them afterwards is much faster. */
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

/** Indexes for `ts_rank`: one by lexeme and one by user. */
async function indexVectors(sql: postgres.Sql) {
  await sql.unsafe(`set maintenance_work_mem = '1GB';
    create index on vectors using gin (words);
    create index on vectors (tenant_id, user_id)`)
  await sql.unsafe('vacuum analyze vectors')
}

/** Generates the facts and copies them into both tables, each over its own connection. */
async function loadFacts(sql: postgres.Sql, facts: number, others: number) {
  await sql.unsafe('create table vectors (id uuid, tenant_id text, user_id text, words tsvector)')
  // No data outlives the run, so no write-ahead log is needed.
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
    const user = assignUser(n, facts, total)
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

/** Interleaves the rows of all users, like writes over time. */
function assignUser(n: number, facts: number, total: number): string {
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
