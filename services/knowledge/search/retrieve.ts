import type { ServiceContext } from '../../_kit/context.ts'
import { errorFields } from '../../_kit/log.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import type { Deps } from '../deps.ts'
import { searchQdrant } from '../qdrant/search-qdrant.ts'
import type { Candidate } from './fetch/candidate.ts'
import { makeSearchCache } from './index/cache.ts'
import { emptyQuery, expandQuery } from './query/expand.ts'
import type { RetrievalRequest, SearchScope } from './query/request.ts'
import { searchKeyword } from './search-keyword.ts'
import { searchVector } from './search-vector.ts'
import { isRenumbered, readSnapshot } from './snapshot.ts'

/** Candidates of a search by keyword and by vector, best first. */
interface Retrieved {
  byKeyword: Candidate[]
  byVector: Candidate[]
  backend: 'qdrant' | 'database'
  /** True if Qdrant failed. */
  failed: boolean
}

/** Cache of a search on a snapshot, in MiB. It is dropped with the search. */
const snapshotCacheMebibytes = 64

/**
 * Retrieves the candidates of a search. Its statements refer to chunks by their sequence numbers: if these
 * were reassigned in between, the search is repeated on one snapshot, without the shared cache.
 */
export async function retrieve(
  context: ServiceContext<Deps>,
  scope: SearchScope,
  loadScope: (sql: Sql) => Promise<SearchScope>,
  request: RetrievalRequest,
): Promise<Retrieved> {
  const retrieved = await retrieveOnce(context, scope, request)
  if (!(await isRenumbered(context.sql, scope.shards))) return retrieved
  const searchCache = makeSearchCache(snapshotCacheMebibytes)
  return readSnapshot(context.sql, async (sql) =>
    retrieveFromDatabase({ ...context, sql, searchCache }, await loadScope(sql), request),
  )
}

/** Retrieves from Qdrant if it is configured, and from the database otherwise or when Qdrant fails. */
async function retrieveOnce(
  context: ServiceContext<Deps>,
  scope: SearchScope,
  request: RetrievalRequest,
): Promise<Retrieved> {
  const { qdrant, embedder, kit } = context
  // Qdrant holds vectors of the embedding model only, not vectors that callers supplied. After a renumbering
  // it holds points under former numbers until the new ones are delivered.
  const isSearchable = !(request.vector && !embedder) && !scope.isBehind
  if (!qdrant || !isSearchable) return retrieveFromDatabase(context, scope, request)
  try {
    const retrieved = await searchQdrant(qdrant, context, scope, request)
    return { ...retrieved, backend: 'qdrant', failed: false }
  } catch (thrown) {
    kit.metrics.count('search_engine_failures_total', {})
    kit.log.warn(errorFields(thrown), 'qdrant search failed, using the database')
    return { ...(await retrieveFromDatabase(context, scope, request)), failed: true }
  }
}

async function retrieveFromDatabase(
  context: ServiceContext<Deps>,
  scope: SearchScope,
  { query, vector, limit }: RetrievalRequest,
): Promise<Retrieved> {
  const expanded =
    query === undefined ? emptyQuery : await expandQuery(context, query, scope.expansionData)
  const [byKeyword, byVector] = await Promise.all([
    query === undefined ? [] : searchKeyword(context, scope, query, expanded, limit),
    vector ? searchVector(context, scope, vector, expanded, limit) : [],
  ])
  return { byKeyword, byVector, backend: 'database', failed: false }
}
