import { once } from 'node:events'
import postgres from 'postgres'
import { migrate } from '../../services/_kit/sql/migrate.ts'
import { postgresDriver } from '../../services/_kit/sql/postgres.ts'
import { words } from '../../services/_kit/words.ts'
import memory from '../../services/memory/service.ts'
import { index } from '../../services/memory/terms.ts'
import { makeRandom } from '../support/random.ts'
import { content, entityKey } from './corpus.ts'
import { createDatabase, dropDatabase } from './postgres.ts'
import { tenant } from './requests.ts'

export interface Store {
  url: string
  facts: number
  users: number
  drop(): Promise<void>
}

export const userOf = (store: { users: number }, n: number) => `user-${n % store.users}`

/** A database with so many facts of one tenant, and beside them the same words as `tsvector`. */
export async function makeStore(server: string, facts: number, users: number): Promise<Store> {
  const url = await createDatabase(server)
  const driver = postgresDriver(url, 1)
  await migrate(driver, memory.folder, memory.schema)
  await driver.end()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql.unsafe('set maintenance_work_mem = "1GB"')
  await sql.unsafe('set synchronous_commit = off')
  await loadFacts(sql, facts, users)
  await loadVectors(sql, facts, users)
  await sql.end()
  return { url, facts, users, drop: () => dropDatabase(url) }
}

/** Indexes are made after the rows: that is many times faster than row by row. */
async function loadFacts(sql: postgres.Sql, facts: number, users: number) {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = 'memory' and tablename = 'facts' and indexname <> 'facts_pkey'`
  for (const { name } of indexes) await sql.unsafe(`drop index memory.${name}`)
  const columns = `id, tenant_id, user_id, scope, entity_key, category, content, confidence, source,
    metadata, terms, tally`
  await copy(sql, `memory.facts (${columns})`, facts, users, ({ id, user, key, text }) => {
    const { terms, tally } = index(tenant, user, key, text)
    const cells = [id, tenant, user, 'global', key, 'summary', text, 1, 'import', '{}']
    return [...cells, `{${terms}}`, tally]
  })
  for (const { definition } of indexes) await sql.unsafe(definition)
  await sql.unsafe('vacuum analyze memory.facts')
}

/** What PostgreSQL's own ranking needs, with an index by words and one by user. */
async function loadVectors(sql: postgres.Sql, facts: number, users: number) {
  await sql.unsafe('create table vectors (id uuid, tenant_id text, user_id text, words tsvector)')
  await copy(sql, 'vectors', facts, users, ({ id, user, key, text }) => [
    id,
    tenant,
    user,
    vector(words(`${key} ${text}`)),
  ])
  await sql.unsafe('create index on vectors using gin (words)')
  await sql.unsafe('create index on vectors (tenant_id, user_id)')
  await sql.unsafe('vacuum analyze vectors')
}

function vector(all: string[]): string {
  const positions = new Map<string, number[]>()
  all.forEach((word, at) => {
    const known = positions.get(word)
    if (known) known.push(at + 1)
    else positions.set(word, [at + 1])
  })
  return [...positions].map(([word, at]) => `${quoted(word)}:${at}`).join(' ')
}

export const quoted = (word: string) => `'${word.replaceAll("'", "''")}'`

type Generated = { id: string; user: string; key: string; text: string }

/** Rows of generated facts, the same ones every time it is called. */
async function copy(
  sql: postgres.Sql,
  into: string,
  facts: number,
  users: number,
  row: (fact: Generated) => (string | number)[],
) {
  const random = makeRandom(7)
  const out = await sql.unsafe(`copy ${into} from stdin`).writable()
  let lines = ''
  for (let n = 0; n < facts; n++) {
    const id = `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
    const fact = {
      id,
      user: userOf({ users }, n),
      key: entityKey(random, n),
      text: content(random),
    }
    lines += `${row(fact).join('\t').replaceAll('\\', '\\\\')}\n`
    if (lines.length < 2 ** 20) continue
    if (!out.write(lines)) await once(out, 'drain')
    lines = ''
  }
  out.end(lines)
  await once(out, 'finish')
}
