import type { Sql } from '../../../_kit/sql/sql.ts'
import { BaseRow, baseCondition, baseRowColumns, type Reader, requireAllFound } from '../../base.ts'
import { ExpansionData, expansionColumns } from './expansion-data.ts'

const ScopeRow = BaseRow.extend(ExpansionData.shape)
const noExpansionData: ExpansionData = { expansions: [], lay: { version: 0, words: 0 } }

/** Loads the bases of a search and the expansions of its query in one statement. */
export async function loadSearchScope(
  sql: Sql,
  caller: Reader,
  kbIds: readonly string[],
  query: string,
): Promise<{ bases: BaseRow[]; expansionData: ExpansionData }> {
  const bases = await sql.rows(ScopeRow)`
    select ${baseRowColumns}, expansion_data.*
    from knowledge.bases base cross join (select ${expansionColumns(query)}) expansion_data
    where ${baseCondition(caller, kbIds)} order by no`
  requireAllFound(bases, kbIds)
  return { bases, expansionData: bases[0] ?? noExpansionData }
}
