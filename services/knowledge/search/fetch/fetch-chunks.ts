import { fragment, type Sql, type SqlFragment } from '../../../_kit/sql/sql.ts'
import { chunkMetadataInForce } from '../../law/law-metadata.ts'
import type { SearchCache } from '../index/cache.ts'
import { chunkRows } from '../index/chunk-rows.ts'
import type { SearchScope } from '../query/request.ts'
import type { ScoredChunk } from '../rank/scored-chunk.ts'
import type { CachedChunk, Candidate } from './candidate.ts'
import { RescoreFields } from './rescore-fields.ts'

/** Not validated: hundreds of rows per search, written by this service. */
type ChunkRow = CachedChunk['hit'] &
  Pick<CachedChunk, 'in_force_from' | 'in_force_to'> &
  Omit<ScoredChunk, 'score'>

/** Fetches scored chunks in their order; drops deleted ones and those that do not match `where`. */
export async function fetchChunks(
  sql: Sql,
  scored: readonly ScoredChunk[],
  where: SqlFragment = fragment``,
): Promise<Candidate[]> {
  if (scored.length === 0) return []
  const rows = (await sql`
    select chunk.base, chunk.seq, base.id as kb_id, document_id, title, doc_type, chunk_index,
      section_id, content, ${chunkMetadataInForce} as metadata,
      chunk.in_force_from, chunk.in_force_to
    from ${chunkRows(scored)} chunk
      join knowledge.documents document using (base, document_id)
      join knowledge.bases base on base.no = chunk.base
    where true ${where}`) as unknown as ChunkRow[]
  const byRef = new Map<string, CachedChunk>(
    rows.map(({ base, seq, in_force_from, in_force_to, ...hit }) => [
      `${base} ${seq}`,
      { hit, in_force_from, in_force_to, fields: new RescoreFields(hit) },
    ]),
  )
  return scored.flatMap(({ base, seq, score }) => {
    const chunk = byRef.get(`${base} ${seq}`)
    return chunk ? [{ base, seq, score, chunk }] : []
  })
}

/** Fetches scored chunks that are in force on the day of a search, from the cache where possible. */
export async function fetchChunksInForce(
  sql: Sql,
  cache: SearchCache,
  { bases, asOf }: Pick<SearchScope, 'bases' | 'asOf'>,
  scored: readonly ScoredChunk[],
): Promise<Candidate[]> {
  const cacheKey = ({ base, seq }: ScoredChunk) => `${base} ${bases.get(base)?.version} ${seq}`
  const cached = scored.map((each) => cache.chunks.get(cacheKey(each)))
  const missing = scored.filter((_, index) => cached[index] === undefined)
  const fetched = new Map<string, CachedChunk>()
  for (const candidate of await fetchChunks(sql, missing)) {
    const key = cacheKey(candidate)
    fetched.set(key, candidate.chunk)
    cache.chunks.set(key, candidate.chunk)
  }
  return scored.flatMap((each, index) => {
    const chunk = cached[index] ?? fetched.get(cacheKey(each))
    if (!chunk || !isInForce(chunk, asOf)) return []
    return [{ base: each.base, seq: each.seq, score: each.score, chunk }]
  })
}

const isInForce = ({ in_force_from: from, in_force_to: to }: CachedChunk, day: string) =>
  (from === null || from <= day) && (to === null || to > day)
