import * as z from 'zod'
import type { ServiceContext } from '../_kit/context.ts'
import { errorFields } from '../_kit/log.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import type { Deps } from './deps.ts'

/**
 * Registers an object before it is written. An object that no file claims within a day is deleted.
 */
export const registerObject = async (sql: Sql, key: string) =>
  void (await sql`
    insert into files.orphaned_objects (storage_key, due_at) values (${key}, now() + interval '1 day')
    on conflict (storage_key) do nothing`)

/** Assigns a registered object to a file. Returns false if its deletion was requested meanwhile. */
export const claimObject = async (sql: Sql, key: string): Promise<boolean> =>
  (
    await sql`
      delete from files.orphaned_objects where storage_key = ${key} and not delete_requested returning storage_key`
  ).length > 0

/** Requests the deletion of the object of a deleted file. */
export const releaseObject = async (sql: Sql, key: string) =>
  void (await sql`
    insert into files.orphaned_objects (storage_key, due_at, delete_requested) values (${key}, now(), true)
    on conflict (storage_key) do update set due_at = now(), delete_requested = true`)

/**
 * Deletes the object of a failed write, unless a file claimed it: a commit may succeed without its
 * acknowledgement arriving.
 */
export async function discardObject(context: ServiceContext<Deps>, key: string): Promise<void> {
  const orphaned = await context.sql`
    update files.orphaned_objects set due_at = now(), delete_requested = true
    where storage_key = ${key} returning storage_key`
  if (orphaned.length > 0) await removeObjects(context, [key])
}

/** Deletes objects whose deletion was requested. Failures are left to the sweep. */
export async function removeObjects(
  { sql, store, kit }: ServiceContext<Deps>,
  keys: string[],
): Promise<void> {
  const storage = await store()
  for (const key of keys) {
    try {
      await storage.remove(key)
      await sql`delete from files.orphaned_objects where storage_key = ${key} and delete_requested`
    } catch (thrown) {
      kit.log.warn({ key, ...errorFields(thrown) }, 'object deletion failed')
    }
  }
}

const StorageKeyRow = z.object({ storage_key: z.string() })

/**
 * Deletes expired uploads and orphaned objects: remains of crashes, deletions and uploads that were never
 * completed.
 */
export async function sweepObjects(context: ServiceContext<Deps>): Promise<void> {
  const { sql } = context
  await sql`delete from files.uploads where expires_at < now()`
  const due = await sql.rows(StorageKeyRow)`
    update files.orphaned_objects set delete_requested = true
    where storage_key in (
      select storage_key from files.orphaned_objects where due_at < now() order by due_at limit 1000)
    returning storage_key`
  await removeObjects(
    context,
    due.map((row) => row.storage_key),
  )
}
