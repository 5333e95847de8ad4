import type { Caller } from '../../_kit/identity.ts'
import type { Sql } from '../../_kit/sql/sql.ts'
import { BaseRow, chosen, refuseUnknown, rowColumns } from '../base.ts'
import { Known, knownOf } from './expand.ts'

const Row = BaseRow.extend(Known.shape)
const nothing: Known = { expansions: [], lay: { version: 0, words: 0 } }

/** What every search has to read before it begins, in one statement: its bases, and what is known of its words. */
export async function begin(
  sql: Sql,
  caller: Pick<Caller, 'organizationId'>,
  kbIds: readonly string[],
  query: string,
): Promise<{ bases: BaseRow[]; known: Known }> {
  const bases = await sql.rows(Row)`
    select ${rowColumns}, known.* from knowledge.bases cross join (select ${knownOf(query)}) known
    where ${chosen(caller, kbIds)} order by no`
  refuseUnknown(bases, kbIds)
  return { bases, known: bases[0] ?? nothing }
}
