import { numberArray, type Sql } from '../../_kit/sql/sql.ts'
import type { Shard } from './index/shard.ts'

/** Runs reads on one snapshot of the database, so that they agree on the numbers of chunks. */
export const readSnapshot = <T>(sql: Sql, read: (sql: Sql) => Promise<T>): Promise<T> =>
  sql.transaction(async (sql) => {
    await sql`set transaction isolation level repeatable read, read only`
    return read(sql)
  })

/** True if sequence numbers changed their chunk or base since the shards were loaded. */
export async function isRenumbered(sql: Sql, shards: readonly Shard[]): Promise<boolean> {
  const rows = await sql`
    select from unnest(${ints(shards.map(({ no }) => no))},
        ${numberArray(shards.map(({ layout }) => layout))}) loaded (no, layout)
      left join knowledge.shards shard using (no)
    where shard.layout is distinct from loaded.layout limit 1`
  return rows.length > 0
}

const ints = (list: readonly number[]) => numberArray(list, 'int4')
