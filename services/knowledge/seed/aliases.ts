import * as z from 'zod'
import { json, type Sql } from '../../_kit/sql/sql.ts'
import { normalizePhrase } from '../search/query/expansion-data.ts'
import { CauseOfActionProfile } from './records.ts'

const source = 'causes_of_action'
/** Weight of a synonym relative to a word of the query. */
const weight = 0.4
/** Names of a cause that become synonyms. */
const maxNames = 20

const ProfileRow = z.object({ record: CauseOfActionProfile })

/** Rebuilds the synonyms of all causes of action, in the caller's transaction. */
export async function saveAliases(sql: Sql): Promise<void> {
  const rows = await sql.rows(ProfileRow)`
    select record from knowledge.records where kind = 'cause_of_action' order by key`
  const pairs = new Map<string, { phrase: string; target: string }>()
  for (const { record } of rows) {
    const names = [record.name, ...record.aliases]
      .map(normalizePhrase)
      .filter((name) => name.length > 1)
    for (const phrase of names.slice(0, maxNames)) {
      for (const target of names.slice(0, maxNames)) {
        if (target !== phrase) pairs.set(`${phrase}\n${target}`, { phrase, target })
      }
    }
  }
  await sql`delete from knowledge.expansions where source = ${source}`
  await sql`
    insert into knowledge.expansions (source, phrase, target, weight)
    select ${source}::text, phrase, target, ${weight}::float8::float4
    from jsonb_to_recordset(${json([...pairs.values()])}) as given (phrase text, target text)`
}
