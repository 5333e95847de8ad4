import * as z from 'zod'
import { ok } from '../../_kit/endpoint.ts'
import { organization } from '../../_kit/identity.ts'
import { post } from '../deps.ts'
import { SearchRequest } from './query/request.ts'
import { SearchResponse } from './response.ts'
import { runSearch } from './run-search.ts'

const VectorSearchRequest = SearchRequest.extend({
  query: SearchRequest.shape.query.optional(),
  vector: z.array(z.number()).min(1).max(16_000).optional(),
})
  .refine(({ query, vector }) => query !== undefined || vector !== undefined, {
    path: ['query'],
    message: 'A query or a vector is required.',
  })
  .meta({ anyOf: [{ required: ['query'] }, { required: ['vector'] }] })

const path = '/api/v1/internal/atomic'
const example = { query: '拖欠劳动报酬', kb_ids: [], top_k: 5 }
const common = {
  body: SearchRequest,
  example,
  responses: { 200: SearchResponse },
  faults: ['NOT_FOUND'] as const,
}

export const searches = [
  post(
    `${path}/keyword-search`,
    {
      ...common,
      summary: 'Search by keyword',
      description:
        'BM25 over words, bigrams and characters. Article and case numbers match in every notation.',
    },
    async (c, { body }) => ok(c, await runSearch(c.env, c.var.caller, 'keyword', body)),
  ),

  post(
    `${path}/vector-search`,
    {
      ...common,
      body: VectorSearchRequest,
      summary: 'Search by vector',
      description:
        'Falls back to keyword search when no query vector is available and sets `degraded`.',
    },
    async (c, { body }) => ok(c, await runSearch(c.env, c.var.caller, 'vector', body)),
  ),

  post(
    `${path}/hybrid-search`,
    {
      ...common,
      summary: 'Search by keyword and vector',
      description:
        'Fuses keyword and vector results by reciprocal rank; the fused value is the score.',
    },
    async (c, { body }) => ok(c, await runSearch(c.env, c.var.caller, 'hybrid', body)),
  ),

  post(
    '/api/v1/knowledge/query',
    {
      ...common,
      guard: organization,
      summary: 'Search the readable bases by keyword and vector',
    },
    async (c, { body }) => ok(c, await runSearch(c.env, c.var.caller, 'hybrid', body)),
  ),
]
