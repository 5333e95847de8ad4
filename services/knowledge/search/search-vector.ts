import type { ServiceContext } from '../../_kit/context.ts'
import { fragment } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { findNearest } from '../embed/nearest.ts'
import { callerSuppliedModel } from '../embed/vectors.ts'
import type { Candidate } from './fetch/candidate.ts'
import { fetchChunks } from './fetch/fetch-chunks.ts'
import type { ExpandedQuery } from './query/expand.ts'
import { filterConditions, inForceCondition, type SearchScope } from './query/request.ts'
import { rescoreWithPriors, vectorFetchSize } from './rank/vector-rescore.ts'

/** Searches the chunks nearest to a vector in the database, best first. */
export async function searchVector(
  context: ServiceContext<Deps>,
  scope: SearchScope,
  vector: readonly number[],
  { priors }: ExpandedQuery,
  limit: number,
): Promise<Candidate[]> {
  const { sql, embedder, vectorIndexes } = context
  const { bases, filters, asOf } = scope
  const nearest = await findNearest(sql, vectorIndexes, {
    model: embedder?.model ?? callerSuppliedModel,
    bases: [...bases.keys()],
    vector,
    limit: vectorFetchSize(priors, limit),
    minimum: limit,
    where: fragment`${filterConditions(filters)} ${inForceCondition(asOf)}`,
  })
  const rescored = await rescoreWithPriors(context, scope, nearest, priors)
  return fetchChunks(sql, rescored.slice(0, limit))
}
