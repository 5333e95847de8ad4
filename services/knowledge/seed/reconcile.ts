import * as z from 'zod'
import { canonicalJson, sha256Hex } from '../../_kit/hash.ts'
import { json, type Sql, textArray } from '../../_kit/sql/sql.ts'
import { mapInSlices } from '../../_kit/time-slice.ts'
import { rejectDuplicates } from '../document.ts'
import type { Counts, Kind, Source, StoredRecord } from './records.ts'

const RecordRow = z.object({
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
 * Reconciles the records of some kinds with a package in the caller's transaction: writes new and
 * changed records, and removes those that the package no longer contains.
 */
export async function reconcileRecords(
  sql: Sql,
  kinds: readonly Kind[],
  records: readonly StoredRecord[],
  { source, dryRun, digest = false }: Options,
): Promise<Counts> {
  rejectDuplicates(
    records.map(({ kind, key }) => `${kind} ${key}`),
    (index) => records[index]!.kind,
  )
  // Serializes imports: concurrent ones would count each other's changes.
  await sql`select pg_advisory_xact_lock(hashtext('knowledge records'))`
  const packageId = source?.package_id ?? null
  const rows = await sql.rows(RecordRow)`
    select kind, key, record, package_id from knowledge.records
    where kind = any(${textArray(kinds)})
      and (key in (select unnest(${textArray(records.map(({ key }) => key))})) or package_id = ${packageId}::text)`
  const existing = new Map(rows.map((row) => [`${row.kind} ${row.key}`, row]))

  const created: StoredRecord[] = []
  const updated: StoredRecord[] = []
  const replaced: z.output<typeof RecordRow>[] = []
  await mapInSlices(records, (record) => {
    const old = existing.get(`${record.kind} ${record.key}`)
    existing.delete(`${record.kind} ${record.key}`)
    if (!old) created.push(record)
    else if (
      canonicalJson(old.record) !== canonicalJson(record.record) ||
      old.package_id !== packageId
    ) {
      updated.push(record)
      replaced.push(old)
    }
  })
  const deleted = [...existing.values()].filter(
    ({ package_id }) => packageId !== null && package_id === packageId,
  )
  if (!dryRun) {
    await writeRecords(sql, [...created, ...updated], source)
    await sql`
      delete from knowledge.records where (kind, key) in (
        select * from unnest(${textArray(deleted.map(({ kind }) => kind))},
          ${textArray(deleted.map(({ key }) => key))}))`
  }
  return {
    created: created.length,
    updated: updated.length,
    unchanged: records.length - created.length - updated.length,
    deleted: deleted.length,
    ...(dryRun && digest && { digest: await digestRecords([...replaced, ...deleted]) }),
  }
}

/** Digest of the records that an import replaces; empty if there are none. */
export const digestRecords = async (records: readonly unknown[]) =>
  records.length === 0 ? '' : sha256Hex(records.map(canonicalJson).sort().join('\n'))

const writeRecords = (
  sql: Sql,
  records: readonly StoredRecord[],
  source: Source | undefined,
) => sql`
  insert into knowledge.records
    (kind, key, parent, order_num, record, package_id, package_version)
  select kind, key, parent, order_num, record, ${source?.package_id ?? null}::text,
    ${source?.version ?? null}::text
  from jsonb_to_recordset(${json(records)})
    as given (kind text, key text, parent text, order_num int, record jsonb)
  on conflict (kind, key) do update set parent = excluded.parent, order_num = excluded.order_num,
    record = excluded.record, package_id = excluded.package_id,
    package_version = excluded.package_version, updated_at = now()`
