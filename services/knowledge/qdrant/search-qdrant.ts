import type { Schemas } from '@qdrant/js-client-rest'
import * as z from 'zod'
import { fragment } from '../../_kit/sql/sql.ts'
import type { SearchDeps } from '../search/deps.ts'
import type { Candidate } from '../search/fetch/candidate.ts'
import { fetchChunks } from '../search/fetch/fetch-chunks.ts'
import { type ExpandedQuery, emptyQuery, expandQuery } from '../search/query/expand.ts'
import {
  filterConditions,
  inForceCondition,
  type RetrievalRequest,
  type SearchScope,
} from '../search/query/request.ts'
import { contextRescoreDepth } from '../search/rank/context-rescore.ts'
import { rescoreByPhrase } from '../search/rank/phrase-rescore.ts'
import { rescoreWithPriors, vectorFetchSize } from '../search/rank/vector-rescore.ts'
import { overfetch, phraseRescoreDepth, rescoreTop } from '../search/search-keyword.ts'
import { isRejection, type QdrantClient } from './client.ts'
import { buildFilter, denseVectorName, sparseQuery, sparseVectorName, toChunkRef } from './point.ts'

/** The Qdrant client with its collection and alias. */
export interface QdrantSearch {
  client: QdrantClient
  /** Configured collection. The alias is switched to it once it is backfilled. */
  collection: string
  alias: string
  /** True after this process has claimed its collection as the active one. */
  claimed: boolean
}

const Points = z.array(
  z.object({ points: z.array(z.object({ id: z.int().min(0), score: z.number() })) }),
)

/**
 * Retrieves the keyword and vector candidates of a search in one Qdrant request, then rescores and
 * fetches them as a search in the database does. Throws on any failure of Qdrant.
 */
export async function searchQdrant(
  { client, alias }: QdrantSearch,
  deps: SearchDeps,
  scope: SearchScope,
  request: RetrievalRequest,
): Promise<{ byKeyword: Candidate[]; byVector: Candidate[] }> {
  const { bases, filters, asOf } = scope
  if (bases.size === 0) return { byKeyword: [], byVector: [] }
  if (client.circuit.open()) throw new Error('Qdrant circuit is open')
  const { query, limit } = request
  const expanded = query ? await expandQuery(deps, query, scope.expansionData) : emptyQuery
  const { terms, priors } = expanded
  const fetchSize = Math.max(limit, phraseRescoreDepth) + overfetch
  const searches = buildSearches(scope, request, expanded, fetchSize)
  const lists = searches.length > 0 ? await queryBatch(client, alias, searches) : []
  const scored = lists.map(({ points }) =>
    points.map(({ id, score }) => ({ ...toChunkRef(id), score })),
  )
  const [sparse = [], dense = []] = terms.length > 0 ? scored : [[], ...scored]
  const where = fragment`${filterConditions(filters)} ${inForceCondition(asOf)}`
  const [byKeyword, byVector] = await Promise.all([
    rescoreTop(deps, scope, sparse, priors, fetchSize).then((best) =>
      fetchChunks(deps.sql, best, where),
    ),
    rescoreWithPriors(deps, scope, dense, priors).then((best) =>
      fetchChunks(deps.sql, best.slice(0, fetchSize), where),
    ),
  ])
  return {
    byKeyword: rescoreByPhrase(query ?? '', byKeyword, phraseRescoreDepth).slice(0, limit),
    byVector: byVector.slice(0, limit),
  }
}

function buildSearches(
  { bases, filters, asOf }: SearchScope,
  { vector, model }: RetrievalRequest,
  { terms, priors }: ExpandedQuery,
  fetchSize: number,
): Schemas['QueryRequest'][] {
  const filter = buildFilter([...bases.keys()], filters, asOf)
  const sparse = {
    query: sparseQuery(terms),
    using: sparseVectorName,
    filter,
    limit: Math.max(fetchSize, contextRescoreDepth(priors)),
  }
  const limit = vectorFetchSize(priors, fetchSize)
  return [
    ...(terms.length > 0 ? [sparse] : []),
    ...(vector && model
      ? [{ query: [...vector], using: denseVectorName(model), filter, limit }]
      : []),
  ]
}

async function queryBatch(
  client: QdrantClient,
  alias: string,
  searches: Schemas['QueryRequest'][],
) {
  try {
    const lists = Points.parse(await client.search.queryBatch(alias, { searches }))
    if (lists.length !== searches.length) throw new Error('Qdrant returned too few lists')
    client.circuit.recordSuccess()
    return lists
  } catch (thrown) {
    // A rejected query does not open the circuit: the collection may lack the dense vector.
    if (!isRejection(thrown)) client.circuit.recordFailure()
    throw thrown
  }
}
