import * as z from 'zod'
import { newId } from '../_kit/ids.ts'
import { fragment, json, numberArray, type Sql } from '../_kit/sql/sql.ts'
import { columns, Fact } from './fact.ts'
import { indexFact } from './terms.ts'

export type FactInput = Pick<
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

const LockedFact = Fact.extend({ same: z.boolean(), exact: z.boolean() })

/**
 * Inserts a fact or updates the fact with the same key. Equal content is left unchanged; different content
 * is stored as a conflict. Safe for concurrent writers.
 */
export async function upsertFact(
  sql: Sql,
  input: FactInput,
  resolution: 'newest_wins' | 'matter_wins',
): Promise<{ fact: Fact; change: Change }> {
  const indexColumns = indexFact(input.tenant_id, input.user_id, input.entity_key, input.content)
  for (;;) {
    const created = await insert(sql, input, indexColumns)
    if (created) return { fact: created, change: 'created' }
    const existing = await sql.transaction((tx) =>
      updateExisting(tx, input, indexColumns, resolution),
    )
    if (existing) return existing
    // The fact was deleted between the two statements: insert again.
  }
}

const keyCondition = (input: FactInput) => fragment`
  tenant_id = ${input.tenant_id} and user_id = ${input.user_id} and scope = ${input.scope}
  and case_id is not distinct from ${input.case_id} and entity_key = ${input.entity_key}`

type FactIndex = ReturnType<typeof indexFact>

function insert(
  sql: Sql,
  input: FactInput,
  { terms, termCounts }: FactIndex,
): Promise<Fact | undefined> {
  return sql.row(Fact)`
    insert into memory.facts (id, tenant_id, user_id, scope, case_id, entity_key, category, content,
      value, confidence, source, metadata, terms, term_counts)
    values (${newId()}, ${input.tenant_id}, ${input.user_id}, ${input.scope}, ${input.case_id},
      ${input.entity_key}, ${input.category}, ${input.content}, ${json(input.value)},
      ${input.confidence}, ${input.source}, ${json(input.metadata)}, ${numberArray(terms, 'int4')},
      ${termCounts})
    on conflict (tenant_id, user_id, scope, case_id, entity_key) do nothing
    returning ${columns}`
}

async function updateExisting(
  sql: Sql,
  input: FactInput,
  { terms, termCounts }: FactIndex,
  resolution: string,
): Promise<{ fact: Fact; change: Change } | null> {
  const existing = await sql.row(LockedFact)`
    select ${columns},
      content = ${input.content} and value = ${json(input.value)} and category = ${input.category} as same,
      source = ${input.source} and confidence = ${input.confidence} and superseded_by is null
        and metadata = ${json(input.metadata)} as exact
    from memory.facts where ${keyCondition(input)} for update`
  if (!existing) return null
  const { same: sameContent, exact: sameRow, ...before } = existing
  const byMatter = resolution === 'matter_wins'
  if (sameContent && (sameRow || !byMatter)) return { fact: before, change: 'unchanged' }

  // A matter that changes its own fact is not a conflict.
  const conflict = !sameContent && !(byMatter && before.source === 'matter')
  if (conflict) {
    await sql`
      insert into memory.conflicts
        (id, tenant_id, user_id, fact_id, entity_key, previous, current, resolution)
      values (${newId()}, ${input.tenant_id}, ${input.user_id}, ${before.id}, ${input.entity_key},
        ${json(contentOf(before))}, ${json(contentOf(input))}, ${resolution})`
  }
  const fact = await sql.row(Fact)`
    update memory.facts set category = ${input.category}, content = ${input.content},
      value = ${json(input.value)}, confidence = ${input.confidence}, source = ${input.source},
      metadata = ${json(input.metadata)}, version = version + 1, updated_at = now(),
      has_conflict = has_conflict or ${conflict}, superseded_by = null,
      terms = ${numberArray(terms, 'int4')}, term_counts = ${termCounts}
    where ${keyCondition(input)} returning ${columns}`
  return { fact: fact!, change: 'updated' }
}

const contentOf = ({ content, value, category }: FactInput) => ({ content, value, category })
