import * as z from 'zod'
import { ExternalId, JsonObject } from '../../_kit/fields.ts'
import { fragment, join, json, textArray } from '../../_kit/sql/sql.ts'
import { type BaseRow, KbId } from '../base.ts'
import { Day, DocType, SectionId } from '../document.ts'
import type { Known } from './expand.ts'

const Filters = z.object({
  doc_types: z.array(DocType).max(100).nullish(),
  document_ids: z.array(ExternalId).max(1_000).nullish(),
  section_ids: z.array(SectionId).max(1_000).nullish(),
  metadata: JsonObject.nullish().describe('Members that the chunk or its document must have.'),
})
export type Filters = z.output<typeof Filters>

/** What a search is asked. */
export const Question = z.object({
  query: z.string().min(1).max(10_000),
  kb_ids: z
    .array(KbId)
    .max(100)
    .default([])
    .describe('Where to search; by default wherever the caller may.'),
  top_k: z.int().min(1).max(100).default(10),
  filters: Filters.default({}),
  as_of: Day.optional().describe('The law as it was in force on this day; by default today.'),
  min_score: z.number().optional(),
  offset: z.int().min(0).max(1_000).default(0),
  rerank: z
    .boolean()
    .optional()
    .describe('Hybrid: whether the rerank service, where there is one, gives the order; it does.'),
})
export type Question = z.output<typeof Question>

export const Hit = z
  .object({
    kb_id: z.string(),
    document_id: z.string(),
    title: z.string(),
    doc_type: z.string(),
    chunk_index: z.int(),
    section_id: z.string().nullable(),
    content: z.string(),
    metadata: JsonObject,
    score: z.number(),
    matched_by: z.array(z.enum(['keyword', 'vector'])),
  })
  .meta({ id: 'Hit' })
export type Hit = z.infer<typeof Hit>

/** A question with the bases it goes to, what is known of its words, and the day it is asked of. */
export interface Asked {
  bases: readonly BaseRow[]
  known: Known
  filters: Filters
  asOf: string
}

export const today = () => new Date().toISOString().slice(0, 10)

/** In force on a day: from the first, and before the one on which it ended. */
export const inForce = (day: string) =>
  fragment` and (chunk.in_force_from is null or chunk.in_force_from <= ${day}::text::date)
    and (chunk.in_force_to is null or chunk.in_force_to > ${day}::text::date)`

export const isFiltered = (filters: Filters) =>
  Object.values(filters).some((value) => value != null)

/** Conditions on a `chunk` and its `document`. */
export const matching = ({ doc_types, document_ids, section_ids, metadata }: Filters) =>
  join([
    ...(doc_types ? [fragment` and document.doc_type = any(${textArray(doc_types)})`] : []),
    ...(document_ids
      ? [fragment` and document.document_id = any(${textArray(document_ids)})`]
      : []),
    ...(section_ids ? [fragment` and chunk.section_id = any(${textArray(section_ids)})`] : []),
    ...Object.entries(metadata ?? {}).map(([name, value]) => {
      const member = json({ [name]: value })
      return fragment` and (document.metadata @> ${member} or chunk.metadata @> ${member})`
    }),
  ])
