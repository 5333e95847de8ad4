import * as z from 'zod'
import { errorFields } from '../_kit/log.ts'
import type { ServiceContext } from '../_kit/service.ts'
import type { Sql } from '../_kit/sql/sql.ts'
import type { Deps } from './deps.ts'

/** Notes bytes before they are written. What nobody owns a day later is removed. */
export const expectBytes = async (sql: Sql, key: string) =>
  void (await sql`
    insert into files.unowned_bytes (storage_key, due_at) values (${key}, now() + interval '1 day')
    on conflict (storage_key) do nothing`)

/** The bytes have an owner from here on; false when they were given up meanwhile. */
export const ownBytes = async (sql: Sql, key: string): Promise<boolean> =>
  (
    await sql`
      delete from files.unowned_bytes where storage_key = ${key} and not doomed returning storage_key`
  ).length > 0

/** The file that owned these bytes is gone. */
export const giveUpBytes = async (sql: Sql, key: string) =>
  void (await sql`
    insert into files.unowned_bytes (storage_key, due_at, doomed) values (${key}, now(), true)
    on conflict (storage_key) do update set due_at = now(), doomed = true`)

/**
 * Removes bytes of a write that came to nothing, unless they have an owner after all: the answer to a
 * commit may get lost on its way.
 */
export async function discardBytes(given: ServiceContext<Deps>, key: string): Promise<void> {
  const unowned = await given.sql`
    update files.unowned_bytes set due_at = now(), doomed = true
    where storage_key = ${key} returning storage_key`
  if (unowned.length > 0) await removeBytes(given, [key])
}

/** Removes bytes that were given up; what can't be removed now is left to the sweep. */
export async function removeBytes(
  { sql, store, kit }: ServiceContext<Deps>,
  keys: string[],
): Promise<void> {
  const storage = await store()
  for (const key of keys) {
    try {
      await storage.remove(key)
      await sql`delete from files.unowned_bytes where storage_key = ${key} and doomed`
    } catch (thrown) {
      kit.log.warn({ key, ...errorFields(thrown) }, 'bytes not removed')
    }
  }
}

const Key = z.object({ storage_key: z.string() })

/** Removes what nobody came for: after a crash, a deletion, a promise that was not kept. */
export async function sweepBytes(given: ServiceContext<Deps>): Promise<void> {
  const { sql } = given
  await sql`delete from files.uploads where expires_at < now()`
  const doomed = await sql.rows(Key)`
    update files.unowned_bytes set doomed = true
    where storage_key in (
      select storage_key from files.unowned_bytes where due_at < now() order by due_at limit 1000)
    returning storage_key`
  await removeBytes(
    given,
    doomed.map((row) => row.storage_key),
  )
}
