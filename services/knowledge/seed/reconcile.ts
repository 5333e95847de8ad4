import * as z from 'zod'
import { canonicalJson, sha256Hex } from '../../_kit/hash.ts'
import { json, type Sql, textArray } from '../../_kit/sql/sql.ts'
import { refuseTwins } from '../document.ts'
import type { Counts, Kept, Kind, Source } from './records.ts'

const Row = z.object({
  kind: z.string(),
  key: z.string(),
  record: z.unknown(),
  package_id: z.string().nullable(),
})

interface Options {
  source: Source | undefined
  dryRun: boolean
  digest?: boolean
}

/**
 * Makes the records of some kinds what a package holds: writes what is new or other, and removes what
 * the same package held before and holds no longer. In the caller's transaction.
 */
export async function reconcile(
  sql: Sql,
  kinds: readonly Kind[],
  given: readonly Kept[],
  { source, dryRun, digest = false }: Options,
): Promise<Counts> {
  refuseTwins(
    given.map(({ kind, key }) => `${kind} ${key}`),
    (index) => given[index]!.kind,
  )
  // Two imports at once would each count what the other did.
  await sql`select pg_advisory_xact_lock(hashtext('knowledge records'))`
  const packageId = source?.package_id ?? null
  const rows = await sql.rows(Row)`
    select kind, key, record, package_id from knowledge.records
    where kind = any(${textArray(kinds)})
      and (key in (select unnest(${textArray(given.map(({ key }) => key))})) or package_id = ${packageId}::text)`
  const before = new Map(rows.map((row) => [`${row.kind} ${row.key}`, row]))

  const created: Kept[] = []
  const updated: Kept[] = []
  const replaced: z.output<typeof Row>[] = []
  for (const one of given) {
    const old = before.get(`${one.kind} ${one.key}`)
    before.delete(`${one.kind} ${one.key}`)
    if (!old) created.push(one)
    else if (
      canonicalJson(old.record) !== canonicalJson(one.record) ||
      old.package_id !== packageId
    ) {
      updated.push(one)
      replaced.push(old)
    }
  }
  const gone = [...before.values()].filter(
    ({ package_id }) => packageId !== null && package_id === packageId,
  )
  if (!dryRun) {
    await write(sql, [...created, ...updated], source)
    await sql`
      delete from knowledge.records where (kind, key) in (
        select * from unnest(${textArray(gone.map(({ kind }) => kind))},
          ${textArray(gone.map(({ key }) => key))}))`
  }
  return {
    created: created.length,
    updated: updated.length,
    unchanged: given.length - created.length - updated.length,
    deleted: gone.length,
    ...(dryRun && digest && { digest: await digestOf([...replaced, ...gone]) }),
  }
}

/** Another digest means other records; empty where none would go. */
export const digestOf = async (records: readonly unknown[]) =>
  records.length === 0 ? '' : sha256Hex(records.map(canonicalJson).sort().join('\n'))

const write = (sql: Sql, records: readonly Kept[], source: Source | undefined) => sql`
  insert into knowledge.records
    (kind, key, parent, order_num, record, package_id, package_version)
  select kind, key, parent, order_num, record, ${source?.package_id ?? null}::text,
    ${source?.version ?? null}::text
  from jsonb_to_recordset(${json(records)})
    as given (kind text, key text, parent text, order_num int, record jsonb)
  on conflict (kind, key) do update set parent = excluded.parent, order_num = excluded.order_num,
    record = excluded.record, package_id = excluded.package_id,
    package_version = excluded.package_version, updated_at = now()`
