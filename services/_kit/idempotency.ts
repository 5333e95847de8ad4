import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from './endpoint.ts'
import { Fault, invalid } from './fault.ts'
import { sha256Hex } from './hash.ts'
import { headerText, printable } from './identity.ts'
import { identifier, type Sql } from './sql/sql.ts'

/** The header as it is described. */
export const keyHeader = {
  name: 'Idempotency-Key',
  required: false,
  description: 'Repeats within 24 hours give the first answer again.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: headerText },
}

const StoredResponse = z.object({
  body_hash: z.string(),
  status: z.int().nullable(),
  answer: z.string().nullable(),
  etag: z.string().nullable(),
})

/**
 * Answers once per Idempotency-Key. The handler runs inside the transaction that also keeps its
 * answer, so a crash leaves both or neither; a duplicate that comes meanwhile waits on the key's row.
 * The handler must take `sql` from `c.env` and ask nothing of other services.
 */
export async function idempotent(
  c: Context<Env<any>>,
  body: string,
  answer: () => Promise<Response>,
): Promise<Response> {
  const key = c.req.header('idempotency-key')
  if (key === undefined) return answer()
  if (key.length > keyHeader.schema.maxLength || !printable.test(key)) {
    throw invalid([{ path: 'Idempotency-Key', message: '1 to 255 printable characters.' }])
  }
  const { sql, kit } = c.env
  const table = identifier(`${kit.schema}.idempotency_keys`)
  const scope = `${c.var.caller.organizationId ?? ''} ${c.req.method} ${c.req.path}`
  const bodyHash = await sha256Hex(body)

  return (sql as Sql).transaction(async (tx) => {
    await tx`
      delete from ${table}
      where scope = ${scope} and key = ${key} and created_at < now() - interval '24 hours'`
    const [fresh] = await tx`
      insert into ${table} (scope, key, body_hash) values (${scope}, ${key}, ${bodyHash})
      on conflict (scope, key) do nothing returning key`
    if (!fresh) return replayResponse(c, tx, table, scope, key, bodyHash)

    c.env = { ...c.env, sql: tx }
    const response = await answer()
    await tx`
      update ${table}
      set status = ${response.status}, answer = ${await response.clone().text()},
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
  const kept = await sql.row(StoredResponse)`
    select body_hash, status, answer, etag from ${table} where scope = ${scope} and key = ${key}`
  if (!kept || kept.body_hash !== bodyHash) {
    throw new Fault('CONFLICT', 'This Idempotency-Key was used before with another body.')
  }
  if (kept.etag) c.header('ETag', kept.etag)
  c.header('Content-Type', 'application/json')
  c.header('Idempotency-Replayed', 'true')
  return c.body(kept.answer ?? '', (kept.status ?? 200) as 200)
}

/** Forgets keys older than a day. */
export const deleteExpiredKeys = async (sql: Sql, schema: string) =>
  void (await sql`
    delete from ${identifier(`${schema}.idempotency_keys`)}
    where created_at < now() - interval '24 hours'`)
