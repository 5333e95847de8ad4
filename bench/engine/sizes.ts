import * as z from 'zod'
import type { Sql } from '../../services/_kit/sql/sql.ts'

const Size = z.object({ bytes: z.int() })

/** Size of the tables of a schema in bytes, including indexes and TOAST. */
export async function bytesIn(sql: Sql, schema: string): Promise<number> {
  const row = await sql.row(Size)`
    select coalesce(sum(pg_total_relation_size(c.oid)), 0)::int8 as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname = ${schema}`
  return row!.bytes
}
