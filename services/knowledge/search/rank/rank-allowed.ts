import type { Sql } from '../../../_kit/sql/sql.ts'
import { keepAllowedChunks, loadAllowedChunks } from '../fetch/load-allowed-chunks.ts'
import type { SearchScope } from '../query/request.ts'
import type { ChunkFilter } from './bm25.ts'
import type { ScoredChunk } from './scored-chunk.ts'

/** Ranks chunks, all or the allowed ones only. */
export type Rank = (limit: number, allowed?: ChunkFilter) => Promise<ScoredChunk[]>

/**
 * Finds the best chunks that match the filters of a search and are in force. A broad filter passes many of
 * the best chunks, so these are checked first. A narrow filter passes few chunks, which are then ranked
 * alone. In between, more of the best chunks are checked until enough of them pass.
 */
export async function rankAllowed(
  sql: Sql,
  scope: SearchScope,
  rank: Rank,
  limit: number,
): Promise<ScoredChunk[]> {
  for (let count = 2 * limit, isFirst = true; ; count *= 4, isFirst = false) {
    const ranked = await rank(count)
    const passed = await keepAllowedChunks(sql, scope, ranked)
    if (passed.length >= limit || ranked.length < count) return passed.slice(0, limit)
    const allowed = isFirst ? await loadAllowedChunks(sql, scope) : undefined
    if (allowed) return rank(limit, allowed)
  }
}
