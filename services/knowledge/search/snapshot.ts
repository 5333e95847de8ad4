import { numberArray, type Sql } from '../../_kit/sql/sql.ts'
import type { BaseRow } from '../base.ts'

/** Runs reads on one snapshot of the database, so that they agree on the numbers of chunks. */
export const readSnapshot = <T>(sql: Sql, read: (sql: Sql) => Promise<T>): Promise<T> =>
  sql.transaction(async (sql) => {
    await sql`set transaction isolation level repeatable read, read only`
    return read(sql)
  })

/** True if the chunks of a base were renumbered since the bases were loaded. */
export async function isRenumbered(sql: Sql, bases: readonly BaseRow[]): Promise<boolean> {
  const rows = await sql`
    select from unnest(${ints(bases.map(({ no }) => no))},
        ${ints(bases.map(({ numbering }) => numbering))}) loaded (no, numbering)
      join knowledge.bases base using (no)
    where base.numbering <> loaded.numbering limit 1`
  return rows.length > 0
}

const ints = (list: readonly number[]) => numberArray(list, 'int4')
