import * as z from 'zod'
import { JsonObject } from '../../_kit/fields.ts'
import { json, type Sql } from '../../_kit/sql/sql.ts'

const Stored = z.object({ body: JsonObject, age_ms: z.number() })

export interface CachedDocument {
  body: Record<string, unknown>
  /** Time of the fetch on the clock of this process, in milliseconds. */
  fetchedAt: number
}

const maxAgeMs = 10 * 60_000
/** While the provider is unavailable, its last document is used for this time. */
const maxStaleMs = 60 * 60_000

/**
 * Caches a document of the provider in memory and in the database. The database serves runtimes where a
 * start lasts one request, and replicas that start while the provider is unavailable.
 */
export function makeDocument(
  issuer: string,
  kind: 'metadata' | 'keys',
  fetchBody: (sql: Sql) => Promise<Record<string, unknown>>,
) {
  let cached: CachedDocument | undefined

  async function readStored(sql: Sql): Promise<CachedDocument | undefined> {
    const row = await sql.row(Stored)`
      select body, extract(epoch from now() - fetched_at)::float8 * 1000 as age_ms
      from gateway.provider_documents where issuer = ${issuer} and kind = ${kind}`
    return row && { body: row.body, fetchedAt: Date.now() - row.age_ms }
  }

  async function refresh(sql: Sql): Promise<CachedDocument> {
    const body = await fetchBody(sql)
    await sql`
      insert into gateway.provider_documents (issuer, kind, body, fetched_at)
      values (${issuer}, ${kind}, ${json(body)}, now())
      on conflict (issuer, kind) do update set body = excluded.body, fetched_at = now()`
    cached = { body, fetchedAt: Date.now() }
    return cached
  }

  /** Returns the document, at most `ageMs` old unless the provider is unavailable. */
  return async function load(sql: Sql, ageMs = maxAgeMs): Promise<CachedDocument> {
    const age = () => (cached ? Date.now() - cached.fetchedAt : Number.POSITIVE_INFINITY)
    if (age() >= ageMs) cached = (await readStored(sql)) ?? cached
    if (cached && age() < ageMs) return cached
    try {
      return await refresh(sql)
    } catch (thrown) {
      if (cached && age() < maxStaleMs) return cached
      throw thrown
    }
  }
}
