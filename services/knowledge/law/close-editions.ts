import * as z from 'zod'
import { type Sql, type SqlFragment, textArray } from '../../_kit/sql/sql.ts'

const ChangedChunk = z.object({ seq: z.int() })

/**
 * Ends each edition of some laws in a base on the day on which the next edition takes effect, in the
 * caller's transaction. An edition declared amended or repealed whose end is unknown, or not yet in force
 * without a day, is in force on no day. Returns the sequence numbers of the chunks whose period changed.
 */
export async function closeEditions(
  sql: Sql,
  base: number,
  laws: readonly string[],
): Promise<number[]> {
  if (laws.length === 0) return []
  const chunks = await sql.rows(ChangedChunk)`
    with next as (
      select document_id, in_force_from, declared_to, law_status, min(in_force_from) over (
        partition by law order by in_force_from
        range between interval '1 day' following and unbounded following) as next_from
      from knowledge.documents where base = ${base} and law = any(${textArray(laws)})
    ), period as (
      select document_id, coalesce(least(declared_to, next_from),
        case when law_status in ('amended', 'repealed')
            or law_status = 'not_yet_in_force' and in_force_from is null
          then coalesce(in_force_from, date '0001-01-01') end) as in_force_to
      from next
    ), closed as (
      update knowledge.documents document set in_force_to = period.in_force_to
      from period
      where document.base = ${base} and document.document_id = period.document_id
        and document.in_force_to is distinct from period.in_force_to
      returning document.document_id, document.in_force_to
    )
    update knowledge.chunks chunk set in_force_to = closed.in_force_to
    from closed
    where chunk.base = ${base} and chunk.document_id = closed.document_id
      and not chunk.metadata ? 'effective_to'
    returning chunk.seq`
  if (chunks.length > 0) {
    await sql`update knowledge.bases set version = version + 1 where no = ${base}`
  }
  return chunks.map(({ seq }) => seq)
}

const LawRow = z.object({ law: z.string() })

/** Loads the laws of which some documents of a base are editions. */
export async function loadLaws(sql: Sql, base: number, which: SqlFragment): Promise<string[]> {
  const rows = await sql.rows(LawRow)`
    select distinct law from knowledge.documents
    where base = ${base} and law is not null and ${which}`
  return rows.map(({ law }) => law)
}
