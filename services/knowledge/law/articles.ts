import * as z from 'zod'
import { numberArray, type Sql, textArray } from '../../_kit/sql/sql.ts'
import type { Edition } from './editions.ts'

export const Article = z.object({
  base: z.int(),
  document_id: z.string(),
  article: z.string(),
  section_id: z.string().nullable(),
  content: z.string(),
  heading: z.string().nullable(),
})
export type Article = z.infer<typeof Article>

type DocumentRef = Pick<Edition, 'base' | 'document_id'>

/** Loads articles of editions by their keys; all articles if no keys are given. */
export const loadArticles = (
  sql: Sql,
  editions: readonly DocumentRef[],
  articleKeys?: readonly string[],
) => sql.rows(Article)`
  select base, document_id, article, (array_agg(section_id order by chunk_index))[1] as section_id,
    string_agg(content, E'\n' order by chunk_index) as content,
    (array_agg(metadata ->> 'heading' order by chunk_index))[1] as heading
  from unnest(${numberArray(
    editions.map(({ base }) => base),
    'int4',
  )}, ${textArray(editions.map(({ document_id }) => document_id))}) edition (base, document_id)
    join knowledge.chunks chunk using (base, document_id)
  where article is not null
    and (${articleKeys === undefined} or article = any(${textArray(articleKeys ?? [])}))
  group by base, document_id, article
  order by base, document_id, min(chunk_index)`

export const sameDocument = (one: DocumentRef, other: DocumentRef) =>
  one.base === other.base && one.document_id === other.document_id
