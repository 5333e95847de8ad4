import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from './context.ts'
import { Fault, invalid } from './fault.ts'
import { sha256Hex } from './hash.ts'
import { headerText, printable } from './identity.ts'
import { knownText } from './response-text.ts'
import { identifier, type Sql } from './sql/sql.ts'

/** The header as the API description shows it. */
export const keyHeader = {
  name: 'Idempotency-Key',
  required: false,
  description: 'A repeated request within 24 hours gets the first response again.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: headerText },
}

const StoredResponse = z.object({
  body_hash: z.string(),
  status: z.int().nullable(),
  answer: z.string().nullable(),
  etag: z.string().nullable(),
})

/**
 * Runs the handler once per Idempotency-Key. The handler runs inside the transaction that stores its
 * response, so a crash leaves both or neither; a concurrent duplicate waits for the row lock of the key.
 * The handler must take `sql` from `c.env` and must not call other services.
 */
export async function idempotent(
  c: Context<Env<any>>,
  body: string,
  handle: () => Promise<Response>,
): Promise<Response> {
  const key = c.req.header('idempotency-key')
  if (key === undefined) return handle()
  if (key.length > keyHeader.schema.maxLength || !printable.test(key)) {
    throw invalid([
      { path: 'Idempotency-Key', message: 'Must be 1 to 255 printable ASCII characters.' },
    ])
  }
  const { sql, kit } = c.env
  const table = identifier(`${kit.schema}.idempotency_keys`)
  const scope = `${c.var.caller.organizationId ?? ''} ${c.req.method} ${c.req.path}`
  const bodyHash = await sha256Hex(body)

  return (sql as Sql).transaction(async (tx) => {
    await tx`
      delete from ${table}
      where scope = ${scope} and key = ${key} and created_at < now() - interval '24 hours'`
    const [inserted] = await tx`
      insert into ${table} (scope, key, body_hash) values (${scope}, ${key}, ${bodyHash})
      on conflict (scope, key) do nothing returning key`
    if (!inserted) return replayResponse(c, tx, table, scope, key, bodyHash)

    c.env = { ...c.env, sql: tx }
    const response = await handle()
    await tx`
      update ${table}
      set status = ${response.status}, answer = ${knownText(response) ?? (await response.clone().text())},
        etag = ${response.headers.get('etag')}
      where scope = ${scope} and key = ${key}`
    return response
  })
}

async function replayResponse(
  c: Context,
  sql: Sql,
  table: ReturnType<typeof identifier>,
  scope: string,
  key: string,
  bodyHash: string,
): Promise<Response> {
  const stored = await sql.row(StoredResponse)`
    select body_hash, status, answer, etag from ${table} where scope = ${scope} and key = ${key}`
  if (!stored || stored.body_hash !== bodyHash) {
    throw new Fault('CONFLICT', 'This Idempotency-Key was already used with another request body.')
  }
  if (stored.etag) c.header('ETag', stored.etag)
  c.header('Content-Type', 'application/json')
  c.header('Idempotency-Replayed', 'true')
  return c.body(stored.answer ?? '', (stored.status ?? 200) as 200)
}

/** Deletes keys older than 24 hours, in batches: no statement exceeds its time-out. */
export async function deleteExpiredKeys(sql: Sql, schema: string, batchSize = 5_000) {
  const table = identifier(`${schema}.idempotency_keys`)
  for (;;) {
    const deleted = await sql`
      delete from ${table} where (scope, key) in (
        select scope, key from ${table} where created_at < now() - interval '24 hours'
        limit ${batchSize})
      returning 1`
    if (deleted.length < batchSize) return
  }
}
