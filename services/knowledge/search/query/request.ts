import * as z from 'zod'
import { ExternalId, JsonObject } from '../../../_kit/fields.ts'
import { fragment, join, json, textArray } from '../../../_kit/sql/sql.ts'
import { KbId } from '../../base.ts'
import { Day, DocType, SectionId } from '../../document.ts'
import type { Shard } from '../index/shard.ts'
import type { ExpansionData } from './expansion-data.ts'

const Filters = z.object({
  doc_types: z.array(DocType).max(100).nullish(),
  document_ids: z.array(ExternalId).max(1_000).nullish(),
  section_ids: z.array(SectionId).max(1_000).nullish(),
  metadata: JsonObject.nullish().describe('Members that the chunk or its document must contain.'),
})
export type Filters = z.output<typeof Filters>

export const SearchRequest = z.object({
  query: z.string().min(1).max(10_000),
  kb_ids: z
    .array(KbId)
    .max(100)
    .default([])
    .describe('Bases to search. Default: every base that the caller may read.'),
  top_k: z.int().min(1).max(100).default(10),
  filters: Filters.default({}),
  as_of: Day.optional().describe('Day on which the texts must be in force. Default: today.'),
  min_score: z.number().optional(),
  offset: z.int().min(0).max(1_000).default(0),
  rerank: z
    .boolean()
    .optional()
    .describe(
      'Hybrid search only: rerank the results if a rerank service is configured. Default: true.',
    ),
})
export type SearchRequest = z.output<typeof SearchRequest>

export type SearchMode = 'keyword' | 'vector' | 'hybrid'

/** A search by query, by vector or by both. */
export type SearchInput = Omit<SearchRequest, 'query'> & {
  query?: string | undefined
  vector?: number[] | undefined
}

/** Input of both retrieval backends. */
export interface RetrievalRequest {
  query: string | undefined
  vector: readonly number[] | undefined
  /** Model of the vector. */
  model: string | undefined
  limit: number
}

export interface SearchedBase {
  shard: Shard
  /** Changes with every write. */
  version: number
}

export interface SearchedBases {
  /** The bases that have chunks, by number. */
  bases: ReadonlyMap<number, SearchedBase>
  /** The shards of the bases. They may hold other bases too. */
  shards: readonly Shard[]
  /** Number of chunks of the bases, and of the terms in them. */
  chunks: number
  words: number
  /** True if Qdrant has not received the new sequence numbers of some base yet. */
  isBehind: boolean
}

/** Bases, filters and day of a search, with the expansion data of its query. */
export interface SearchScope extends SearchedBases {
  expansionData: ExpansionData
  filters: Filters
  asOf: string
}

export const today = () => new Date().toISOString().slice(0, 10)

/** In force on a day. `in_force_to` is the first day out of force. */
export const inForceCondition = (day: string) =>
  fragment` and (chunk.in_force_from is null or chunk.in_force_from <= ${day}::text::date)
    and (chunk.in_force_to is null or chunk.in_force_to > ${day}::text::date)`

export const isFiltered = (filters: Filters) =>
  Object.values(filters).some((value) => value != null)

/** Conditions on the tables `chunk` and `document`. */
export const filterConditions = ({ doc_types, document_ids, section_ids, metadata }: Filters) =>
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
