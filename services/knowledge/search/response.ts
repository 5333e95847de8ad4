import * as z from 'zod'
import { JsonObject } from '../../_kit/fields.ts'

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

export const SearchResponse = z
  .object({
    hits: z.array(Hit),
    backend: z.enum(['qdrant', 'database']),
    degraded: z
      .boolean()
      .describe('True if a part of the search was replaced by a fallback; see `reason`.'),
    reason: z
      .enum([
        'embedding_not_configured',
        'embedding_unavailable',
        'search_engine_unavailable',
        'rerank_unavailable',
      ])
      .nullable(),
  })
  .meta({ id: 'SearchAnswer' })
export type SearchResponse = z.infer<typeof SearchResponse>
