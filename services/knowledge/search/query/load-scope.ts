import * as z from 'zod'
import { fragment, type Sql } from '../../../_kit/sql/sql.ts'
import { baseCondition, type Reader, requireAllFound } from '../../base.ts'
import { Shard, shardColumns } from '../index/shard.ts'
import { ExpansionData, expansionColumns } from './expansion-data.ts'
import type { SearchedBase, SearchedBases } from './request.ts'

const NamedBase = z.object({ id: z.string(), name: z.string(), system: z.boolean() })

const ScopeRow = z.object({
  /** Null in the row of the bases that have no shard, because they have no chunks. */
  shard: Shard.nullable(),
  bases: z.array(z.int()),
  versions: z.array(z.int()),
  /** Only if the request names its bases. */
  named: z.array(NamedBase).nullable(),
  chunks: z.int(),
  words: z.int(),
  index_behind: z.boolean(),
  expansion_data: ExpansionData.nullable(),
})
const noExpansionData: ExpansionData = { expansions: [], lay: { version: 0, words: 0 } }

const namedColumn = fragment`jsonb_agg(jsonb_build_object(
  'id', base.id, 'name', base.name, 'system', base.organization_id is null))`

/**
 * Loads the bases of a search and the expansions of its query in one statement, one row per shard, since there
 * may be thousands of bases. Only the first row has the expansions.
 */
export async function loadSearchScope(
  sql: Sql,
  caller: Reader,
  kbIds: readonly string[],
  query: string,
): Promise<SearchedBases & { expansionData: ExpansionData }> {
  const rows = await sql.rows(ScopeRow)`
    select case when shard.no is not null
        then (select to_jsonb(own) from (select ${shardColumns}) own) end as shard,
      jsonb_agg(base.no order by base.no) as bases,
      jsonb_agg(base.version order by base.no) as versions,
      ${kbIds.length > 0 ? namedColumn : fragment`null`} as named,
      sum(base.chunks) as chunks, sum(base.words)::bigint as words,
      bool_or(base.index_behind) as index_behind,
      case when row_number() over (order by shard.no) = 1
        then (select to_jsonb(data) from (select ${expansionColumns(query)}) data) end as expansion_data
    from knowledge.bases base left join knowledge.shards shard on shard.no = base.shard
    where ${baseCondition(caller, kbIds)} group by shard.no order by shard.no`
  requireAllFound(
    rows.flatMap(({ named }) => named ?? []),
    kbIds,
  )
  const bases = new Map<number, SearchedBase>()
  for (const { shard, ...row } of rows) {
    if (!shard) continue
    for (const [nth, base] of row.bases.entries()) {
      bases.set(base, { shard, version: row.versions[nth]! })
    }
  }
  return {
    bases,
    shards: rows.flatMap(({ shard }) => shard ?? []),
    chunks: rows.reduce((sum, { chunks }) => sum + chunks, 0),
    words: rows.reduce((sum, { words }) => sum + words, 0),
    isBehind: rows.some(({ index_behind }) => index_behind),
    expansionData: rows[0]?.expansion_data ?? noExpansionData,
  }
}
