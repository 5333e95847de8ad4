import * as z from 'zod'
import { newId } from '../_kit/ids.ts'
import { fragment, json, numberArray, type Sql } from '../_kit/sql/sql.ts'
import { columns, Fact } from './fact.ts'
import { index } from './terms.ts'

export type Telling = Pick<
  Fact,
  | 'tenant_id'
  | 'user_id'
  | 'scope'
  | 'case_id'
  | 'entity_key'
  | 'category'
  | 'content'
  | 'value'
  | 'confidence'
  | 'source'
  | 'metadata'
>

export type Change = 'created' | 'updated' | 'unchanged'

const Known = Fact.extend({ same: z.boolean(), exact: z.boolean() })

/**
 * Writes what was told under its key. Whoever holds the key already is left alone when it says the same,
 * and otherwise gives way, its content kept as a conflict. Safe with any number of writers of one key.
 */
export async function tell(
  sql: Sql,
  told: Telling,
  resolution: 'newest_wins' | 'matter_wins',
): Promise<{ fact: Fact; change: Change }> {
  const indexed = index(told.tenant_id, told.user_id, told.entity_key, told.content)
  for (;;) {
    const created = await insert(sql, told, indexed)
    if (created) return { fact: created, change: 'created' }
    const known = await sql.transaction((tx) => replace(tx, told, indexed, resolution))
    if (known) return known
    // Deleted between the two statements: the key is free again.
  }
}

const key = (told: Telling) => fragment`
  tenant_id = ${told.tenant_id} and user_id = ${told.user_id} and scope = ${told.scope}
  and case_id is not distinct from ${told.case_id} and entity_key = ${told.entity_key}`

type Indexed = ReturnType<typeof index>

function insert(sql: Sql, told: Telling, { terms, tally }: Indexed): Promise<Fact | undefined> {
  return sql.row(Fact)`
    insert into memory.facts (id, tenant_id, user_id, scope, case_id, entity_key, category, content,
      value, confidence, source, metadata, terms, tally)
    values (${newId()}, ${told.tenant_id}, ${told.user_id}, ${told.scope}, ${told.case_id},
      ${told.entity_key}, ${told.category}, ${told.content}, ${json(told.value)},
      ${told.confidence}, ${told.source}, ${json(told.metadata)}, ${numberArray(terms, 'int4')},
      ${tally})
    on conflict (tenant_id, user_id, scope, case_id, entity_key) do nothing
    returning ${columns}`
}

async function replace(
  sql: Sql,
  told: Telling,
  { terms, tally }: Indexed,
  resolution: string,
): Promise<{ fact: Fact; change: Change } | null> {
  const known = await sql.row(Known)`
    select ${columns},
      content = ${told.content} and value = ${json(told.value)} and category = ${told.category} as same,
      source = ${told.source} and confidence = ${told.confidence} and superseded_by is null
        and metadata = ${json(told.metadata)} as exact
    from memory.facts where ${key(told)} for update`
  if (!known) return null
  const { same, exact, ...before } = known
  const byMatter = resolution === 'matter_wins'
  if (same && (exact || !byMatter)) return { fact: before, change: 'unchanged' }

  // A matter that tells its own fact anew contradicts nobody.
  const conflict = !same && !(byMatter && before.source === 'matter')
  if (conflict) {
    await sql`
      insert into memory.conflicts
        (id, tenant_id, user_id, fact_id, entity_key, previous, current, resolution)
      values (${newId()}, ${told.tenant_id}, ${told.user_id}, ${before.id}, ${told.entity_key},
        ${json(saying(before))}, ${json(saying(told))}, ${resolution})`
  }
  const fact = await sql.row(Fact)`
    update memory.facts set category = ${told.category}, content = ${told.content},
      value = ${json(told.value)}, confidence = ${told.confidence}, source = ${told.source},
      metadata = ${json(told.metadata)}, version = version + 1, updated_at = now(),
      has_conflict = has_conflict or ${conflict}, superseded_by = null,
      terms = ${numberArray(terms, 'int4')}, tally = ${tally}
    where ${key(told)} returning ${columns}`
  return { fact: fact!, change: 'updated' }
}

const saying = ({ content, value, category }: Telling) => ({ content, value, category })
