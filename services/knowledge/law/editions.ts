import * as z from 'zod'
import { type Sql, textArray } from '../../_kit/sql/sql.ts'
import { isInForceOn, StoredEdition } from './edition.ts'

/** An edition of a law in a system base. */
export const Edition = StoredEdition.extend({
  base: z.int(),
  document_id: z.string(),
  title: z.string(),
  law_keys: z.array(z.string()),
  /** Key of the law; null for a digest that names the law as an alias. */
  law: z.string().nullable(),
  published_year: z.int().nullable(),
})
export type Edition = z.infer<typeof Edition>

/**
 * Loads the editions of laws, newest first. System bases only: the texts of organizations are not law.
 */
export const loadEditions = (sql: Sql, keys: readonly string[]) => sql.rows(Edition)`
  select base, document_id, title, law_keys, law, law_status, document.in_force_from, in_force_to,
    substring(coalesce(document.metadata ->> 'publication_date',
      document.metadata -> 'law' ->> 'published') from '^\\d{4}')::int as published_year,
    exists (select from knowledge.documents later where later.base = document.base
      and later.law = document.law and later.in_force_from > document.in_force_from) as superseded
  from knowledge.documents document
    join knowledge.bases base on base.no = document.base and base.organization_id is null
  where law_keys && ${textArray(keys)}
  order by document.in_force_from desc nulls last, base.no, document_id`

/** Editions of one law. The texts of the law take precedence over digests of it. */
export function matchEditions(editions: readonly Edition[], keys: readonly string[]): Edition[] {
  const named = editions.filter(({ law_keys }) => keys.some((key) => law_keys.includes(key)))
  const primary = named.filter(({ law, law_keys }) => law !== null && keys.includes(law_keys[0]!))
  if (primary.length > 0) return primary
  const texts = named.filter(({ law }) => law !== null)
  return texts.length > 0 ? texts : named
}

/**
 * Selects the edition that a citation means on a day, from editions newest first: the one in force,
 * else the last one before the day, else the first one after it.
 */
export function selectEdition<T extends StoredEdition>(
  editions: readonly T[],
  day: string,
): T | undefined {
  return (
    editions.find((edition) => isInForceOn(edition, day)) ??
    editions.find(({ in_force_from: from }) => from === null || from <= day) ??
    editions.at(-1)
  )
}
