import type { Sql } from '../../../_kit/sql/sql.ts'
import { BaseRow, baseCondition, baseRowColumns, type Reader, requireAllFound } from '../../base.ts'
import { ExpansionData, expansionColumns } from './expansion-data.ts'

const ScopeRow = BaseRow.extend({ expansion_data: ExpansionData.nullable() })
const noExpansionData: ExpansionData = { expansions: [], lay: { version: 0, words: 0 } }

/**
 * Loads the bases of a search and the expansions of its query in one statement. Only the first row has the
 * expansions, since there may be thousands of bases.
 */
export async function loadSearchScope(
  sql: Sql,
  caller: Reader,
  kbIds: readonly string[],
  query: string,
): Promise<{ bases: BaseRow[]; expansionData: ExpansionData }> {
  const bases = await sql.rows(ScopeRow)`
    select ${baseRowColumns},
      case when row_number() over (order by no) = 1
        then (select to_jsonb(data) from (select ${expansionColumns(query)}) data) end as expansion_data
    from knowledge.bases base where ${baseCondition(caller, kbIds)} order by no`
  requireAllFound(bases, kbIds)
  return { bases, expansionData: bases[0]?.expansion_data ?? noExpansionData }
}
