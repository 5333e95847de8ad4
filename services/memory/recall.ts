import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { ExternalId } from '../_kit/fields.ts'
import { organization } from '../_kit/identity.ts'
import { errorFields } from '../_kit/log.ts'
import type { Reranker } from '../_kit/rerank.ts'
import { fragment, join, type Sql, textArray } from '../_kit/sql/sql.ts'
import { queryTokens } from '../_kit/tokenize.ts'
import { makeBm25Scorer } from './bm25.ts'
import { findCandidates } from './candidates.ts'
import { post } from './deps.ts'
import { Category, columns, EntityKey, Fact, Scope } from './fact.ts'

const RecallRequest = z.object({
  user_id: ExternalId,
  scope: Scope.optional(),
  case_id: ExternalId.nullish(),
  categories: z.array(Category).max(10).optional(),
  entity_keys: z.array(EntityKey).max(100).optional(),
  query: z.string().max(2_000).nullish(),
  top_k: z.int().min(1).max(100).default(10),
  rerank: z.boolean().default(false),
  min_score: z.number().optional(),
})
type RecallRequest = z.output<typeof RecallRequest>

const ScoredFact = Fact.extend({ score: z.number() }).meta({ id: 'ScoredFact' })
type ScoredFact = z.infer<typeof ScoredFact>

const RecallResponse = z.object({
  facts: z.array(ScoredFact),
  reranked: z.boolean(),
  degraded: z.boolean(),
})

/** Maximum number of query tokens; the rest of the query is ignored. */
const maxQueryTokens = 256

/** Minimum number of facts sent to the rerank service, so that it can raise a fact that BM25 ranked low. */
const rerankDepth = 50

export const recall = [
  post(
    '/api/v1/internal/memory/recall',
    {
      summary: 'Recall facts',
      description:
        'Ranks facts by BM25 over content and entity_key. Without a query returns the newest facts with score 0. `degraded` is true if reranking was requested and failed.',
      guard: organization,
      body: RecallRequest,
      example: { user_id: 7, query: 'How much was lent?', top_k: 5 },
      responses: { 200: RecallResponse },
    },
    async (c, { body }) => {
      const { sql, rerank, kit } = c.env
      const tenant = c.var.caller.organizationId!
      const limit = body.rerank && body.query ? Math.max(body.top_k, rerankDepth) : body.top_k
      const found = body.query
        ? await searchFacts(sql, tenant, body, body.query, limit)
        : await loadNewest(sql, tenant, body, limit)

      const reranked =
        body.rerank && body.query && found.length > 0
          ? await rerankFacts(rerank, body.query, found, body.top_k).catch((thrown: unknown) => {
              kit.metrics.count('rerank_failures_total', {})
              kit.log.warn(errorFields(thrown), 'rerank failed')
              return 'failed' as const
            })
          : undefined
      const facts = Array.isArray(reranked) ? reranked : found.slice(0, body.top_k)
      return ok(c, {
        facts: facts.filter(({ score }) => body.min_score === undefined || score >= body.min_score),
        reranked: Array.isArray(reranked),
        degraded: reranked === 'failed',
      })
    },
  ),
]

function filterConditions(request: RecallRequest) {
  const { scope, case_id, categories, entity_keys } = request
  return join([
    ...(scope ? [fragment` and scope = ${scope}`] : []),
    ...(case_id ? [fragment` and case_id = ${case_id}`] : []),
    ...(categories ? [fragment` and category = any(${textArray(categories)})`] : []),
    ...(entity_keys ? [fragment` and entity_key = any(${textArray(entity_keys)})`] : []),
  ])
}

async function searchFacts(
  sql: Sql,
  tenant: string,
  request: RecallRequest,
  query: string,
  limit: number,
) {
  const tokens = queryTokens(query).slice(0, maxQueryTokens)
  const recallScope = { tenant, user: request.user_id, filter: filterConditions(request) }
  const { facts, statistics } = await findCandidates(sql, recallScope, tokens)
  const scoreFact = makeBm25Scorer(statistics)
  const best = facts
    .map((fact) => ({ id: fact.id, score: scoreFact(fact) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1))
    .slice(0, limit)
  const found = await sql.rows(Fact)`
    select ${columns} from memory.facts
    where tenant_id = ${tenant} and superseded_by is null
      and id = any(${textArray(best.map(({ id }) => id))}::uuid[])`
  const byId = new Map(found.map((fact) => [fact.id, fact]))
  return best.flatMap(({ id, score }) => {
    const fact = byId.get(id)
    return fact ? [{ ...fact, score }] : []
  })
}

const loadNewest = (sql: Sql, tenant: string, request: RecallRequest, limit: number) =>
  sql.rows(ScoredFact)`
    select ${columns}, 0::float8 as score from memory.facts
    where tenant_id = ${tenant} and user_id = ${request.user_id} and superseded_by is null
      ${filterConditions(request)}
    order by updated_at desc, id desc limit ${limit}`

async function rerankFacts(
  rerank: Reranker | undefined,
  query: string,
  found: ScoredFact[],
  top: number,
) {
  if (!rerank) throw new Error('no rerank service is configured')
  const documents = found.map(({ content }) => content)
  const order = await rerank.rerank(query, documents, top)
  return order.map(({ index, score }) => ({ ...found[index]!, score }))
}
